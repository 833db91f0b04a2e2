// SPDX-License-Identifier: Apache-2.0
// A buffer belongs to one lease at a time and returns to its pool when the lease ends.
#include "scratch.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tileplan {
namespace {

constexpr std::size_t kAlignment = 64;  // Cache lines and AVX-512 registers have 64 bytes.

}  // namespace

void FreeAligned::operator()(char* memory) const {
  ::operator delete[](memory, std::align_val_t{kAlignment});
}

AlignedBytes aligned_bytes(std::size_t bytes) {
  return AlignedBytes(static_cast<char*>(
      ::operator new[](std::max<std::size_t>(bytes, 1), std::align_val_t{kAlignment})));
}

ScratchPool::Lease ScratchPool::lease() {
  if (bytes_ == 0) return {*this, nullptr};
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(++made_);  // The destructor of a lease must not allocate.
    return {*this, aligned_bytes(bytes_)};
  }
  Lease known(*this, std::move(idle_.back()));
  idle_.pop_back();
  return known;
}

ScratchPool::Lease::~Lease() {
  if (!memory_) return;
  const std::lock_guard lock(pool_->mutex_);
  pool_->idle_.push_back(std::move(memory_));
}

}  // namespace tileplan
