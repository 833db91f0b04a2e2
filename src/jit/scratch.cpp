// SPDX-License-Identifier: Apache-2.0
// A buffer belongs to one lease at a time. When the lease ends, the buffer is idle again.
#include "scratch.h"

#include <algorithm>
#include <utility>

#include "huge_pages.h"

namespace tileplan {

void FreeAligned::operator()(char* memory) const { free_in_huge_pages(memory); }

AlignedBytes aligned_bytes(std::size_t bytes) {
  return AlignedBytes(allocate_in_huge_pages(bytes));
}

/// Holds the buffers that are not lent, in ascending order of their sizes.
class IdleBuffers {
 public:
  /// Returns the smallest buffer of at least `bytes`. If there is none, frees the largest buffer
  /// and allocates a new one.
  SizedBytes take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::lower_bound(idle_, bytes, {}, &SizedBytes::size);
      if (found != idle_.end()) {
        SizedBytes taken = std::move(*found);
        idle_.erase(found);
        return taken;
      }
      if (!idle_.empty()) {
        idle_.pop_back();
        --made_;
      }
      // Room for the returned buffer is reserved here, because the destructor of a lease must not
      // allocate.
      idle_.reserve(++made_);
    }
    return {aligned_bytes(bytes), bytes};
  }

  void give_back(SizedBytes buffer) {
    const std::lock_guard lock(mutex_);
    const auto place = std::ranges::lower_bound(idle_, buffer.size, {}, &SizedBytes::size);
    idle_.insert(place, std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<SizedBytes> idle_;
  std::size_t made_ = 0;
};

namespace {

/// Returns the idle buffers that all pools share. They are freed together with the last pool.
std::shared_ptr<IdleBuffers> all_idle() {
  static std::mutex mutex;
  static std::weak_ptr<IdleBuffers> shared;
  const std::lock_guard lock(mutex);
  std::shared_ptr<IdleBuffers> idle = shared.lock();
  if (!idle) shared = idle = std::make_shared<IdleBuffers>();
  return idle;
}

}  // namespace

ScratchPool::ScratchPool(std::size_t bytes) : bytes_(bytes), idle_(all_idle()) {}

ScratchPool::Lease ScratchPool::lease() {
  if (bytes_ == 0) return {*idle_, {}};
  return {*idle_, idle_->take(bytes_)};
}

ScratchPool::Lease::~Lease() {
  if (buffer_.memory) idle_->give_back(std::move(buffer_));
}

}  // namespace tileplan
