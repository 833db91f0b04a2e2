// SPDX-License-Identifier: Apache-2.0
// This file collects the bytes of tensors that are then written to a file.
#pragma once

#include <cstddef>
#include <string>

namespace tileplan {

/// Collects pieces of memory in one list of bytes. Each piece begins at a multiple of 64.
class AlignedBytes {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// Appends `size` bytes and returns their offset.
  std::size_t add(const void* data, std::size_t size) {
    pad();
    const std::size_t offset = bytes_.size();
    bytes_.append(static_cast<const char*>(data), size);
    return offset;
  }
  /// Appends zeros up to the next multiple of 64.
  void pad() { bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment); }

  const std::string& all() const { return bytes_; }
  std::string& all() { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace tileplan
