// SPDX-License-Identifier: Apache-2.0
// Memory that runs of a kernel need besides the caller's tensors, kept from one run to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tileplan {

/// Frees what aligned_floats() returned.
struct FreeFloats {
  void operator()(float* memory) const;
};
using AlignedFloats = std::unique_ptr<float[], FreeFloats>;

/// Uninitialised memory that begins at a cache line. Throws std::bad_alloc.
AlignedFloats aligned_floats(std::size_t count);

/// Buffers of one size, as many as are in use at once. Thread-safe.
class ScratchPool {
 public:
  /// A buffer that goes back to its pool, which must outlive it.
  class Lease {
   public:
    Lease(ScratchPool& pool, AlignedFloats memory) : pool_(&pool), memory_(std::move(memory)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    float* data() const { return memory_.get(); }

   private:
    ScratchPool* pool_;
    AlignedFloats memory_;
  };

  explicit ScratchPool(std::size_t floats = 0) : floats_(floats) {}

  /// Elements of each buffer; leases of 0 have no memory and cost nothing.
  std::size_t floats() const { return floats_; }
  /// Allocates only when all buffers are in use; throws std::bad_alloc.
  Lease lease();

 private:
  const std::size_t floats_;
  std::mutex mutex_;
  std::vector<AlignedFloats> idle_;
  std::size_t made_ = 0;
};

}  // namespace tileplan
