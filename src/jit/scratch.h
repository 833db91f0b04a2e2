// SPDX-License-Identifier: Apache-2.0
// This file keeps the temporary memory of a kernel between runs, so that later runs need not
// allocate it.
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

/// Holds as many buffers as were in use at the same time. All functions are thread-safe.
class ScratchPool {
 public:
  /// Owns a buffer and returns it to the pool in the destructor. Requires: the pool lives longer.
  class Lease {
   public:
    Lease(ScratchPool& pool, AlignedBytes memory) : pool_(&pool), memory_(std::move(memory)) {}
    Lease(Lease&&) noexcept = default;
    ~Lease();

    char* data() const { return memory_.get(); }

   private:
    ScratchPool* pool_;
    AlignedBytes memory_;
  };

  explicit ScratchPool(std::size_t bytes = 0) : bytes_(bytes) {}

  /// Returns a lease of a buffer, or of no memory when the pool's buffers have 0 bytes. Allocates
  /// only when all buffers are in use. Throws std::bad_alloc.
  Lease lease();

 private:
  const std::size_t bytes_;
  std::mutex mutex_;
  std::vector<AlignedBytes> idle_;
  std::size_t made_ = 0;
};

}  // namespace tileplan
