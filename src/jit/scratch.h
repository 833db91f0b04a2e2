// SPDX-License-Identifier: Apache-2.0
// This file keeps the temporary memory of kernels between runs, so that later runs need not
// allocate it. Kernels share it, so that those of a network find it in the caches.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tileplan {

/// Frees memory that aligned_bytes() returned.
struct FreeAligned {
  void operator()(char* memory) const;
};
using AlignedBytes = std::unique_ptr<char[], FreeAligned>;

/// Returns uninitialised memory that is aligned to a cache line. Throws std::bad_alloc.
AlignedBytes aligned_bytes(std::size_t bytes);

/// Keeps the size with the memory, because a pool may lend a buffer that is larger than it needs.
struct SizedBytes {
  AlignedBytes memory = {};
  std::size_t size = 0;
};

class IdleBuffers;

/// Lends buffers of at least bytes() bytes. All pools of the process share their idle buffers, so a
/// buffer may be larger. All functions are thread-safe.
class ScratchPool {
 public:
  /// Owns a buffer, which the destructor gives back. Requires: the pool lives longer.
  class Lease {
   public:
    Lease(IdleBuffers& idle, SizedBytes buffer) : idle_(&idle), buffer_(std::move(buffer)) {}
    Lease(Lease&&) noexcept = default;
    ~Lease();

    char* data() const { return buffer_.memory.get(); }

   private:
    IdleBuffers* idle_;
    SizedBytes buffer_;
  };

  explicit ScratchPool(std::size_t bytes = 0);

  /// Returns the smallest size of the pool's buffers.
  std::size_t bytes() const { return bytes_; }
  /// Returns a lease of a buffer, or of no memory when the pool's buffers have 0 bytes. Allocates
  /// only when no idle buffer is large enough. Throws std::bad_alloc.
  Lease lease();

 private:
  const std::size_t bytes_;
  std::shared_ptr<IdleBuffers> idle_;
};

}  // namespace tileplan
