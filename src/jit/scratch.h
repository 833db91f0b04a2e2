// SPDX-License-Identifier: Apache-2.0
// Runs of a kernel need memory besides the caller's tensors. It is kept from one run to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tileplan {

/// Frees what aligned_bytes() returned.
struct FreeAligned {
  void operator()(char* memory) const;
};
using AlignedBytes = std::unique_ptr<char[], FreeAligned>;

/// Uninitialised memory that begins at a cache line. Throws std::bad_alloc.
AlignedBytes aligned_bytes(std::size_t bytes);

/// Buffers of one size, as many as are in use at once. Thread-safe.
class ScratchPool {
 public:
  /// A buffer that goes back to its pool, which must outlive it.
  class Lease {
   public:
    Lease(ScratchPool& pool, AlignedBytes memory) : pool_(&pool), memory_(std::move(memory)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    char* data() const { return memory_.get(); }

   private:
    ScratchPool* pool_;
    AlignedBytes memory_;
  };

  explicit ScratchPool(std::size_t bytes = 0) : bytes_(bytes) {}

  /// Size of each buffer; leases of 0 have no memory and cost nothing.
  std::size_t bytes() const { return bytes_; }
  /// Allocates only when all buffers are in use; throws std::bad_alloc.
  Lease lease();

 private:
  const std::size_t bytes_;
  std::mutex mutex_;
  std::vector<AlignedBytes> idle_;
  std::size_t made_ = 0;
};

}  // namespace tileplan
