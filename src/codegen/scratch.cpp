// SPDX-License-Identifier: Apache-2.0
// Memory that runs of a kernel need, kept from one run to the next.
#include "scratch.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tileplan {

namespace {

constexpr std::size_t kAlignment = 64;  // bytes: one cache line, one AVX-512 register

}  // namespace

void FreeFloats::operator()(float* memory) const {
  ::operator delete[](memory, std::align_val_t{kAlignment});
}

AlignedFloats aligned_floats(std::size_t count) {
  return AlignedFloats(static_cast<float*>(::operator new[](
      std::max<std::size_t>(count, 1) * sizeof(float), std::align_val_t{kAlignment})));
}

ScratchPool::Lease ScratchPool::lease() {
  if (floats_ == 0) return {*this, nullptr};
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(++made_);  // so that giving back cannot throw
    return {*this, aligned_floats(floats_)};
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
