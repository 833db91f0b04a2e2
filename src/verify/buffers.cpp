// SPDX-License-Identifier: Apache-2.0
// Aligned f32 buffers and their seeded random contents.
#include "buffers.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tileplan {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::size_t alignment_of(std::size_t bytes) {
  return bytes < kHugePageBytes ? kPageBytes : kHugePageBytes;
}

float* allocate(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  void* memory = ::operator new (bytes, std::align_val_t{alignment});
  // Advice: without huge pages the buffer works as well, only with more TLB misses.
  if (alignment == kHugePageBytes) {
    madvise(memory, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
  }
  return static_cast<float*>(memory);
}

}  // namespace

void Buffer::Free::operator()(float* memory) const {
  ::operator delete (memory, std::align_val_t{alignment});
}

Buffer::Buffer(std::size_t floats)
    : data_(allocate(floats * sizeof(float)), Free{alignment_of(floats * sizeof(float))}),
      size_(floats) {
  std::fill_n(data_.get(), size_, 0.0F);
}

std::uint64_t next_random(std::uint64_t& state) {
  // Sebastiano Vigna's splitmix64 (public domain, https://prng.di.unimi.it/splitmix64.c).
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void fill_random(std::span<float> values, std::uint64_t seed) {
  // 24 random bits, read as a signed number, are exactly a float; 2^-23 scales them to [-1, 1).
  constexpr int kUnusedBits = 64 - 24;
  constexpr float kScale = 1.0F / (1 << 23);
  std::uint64_t state = seed;
  for (float& value : values) {
    const auto bits = static_cast<std::int64_t>(next_random(state));
    value = static_cast<float>(bits >> kUnusedBits) * kScale;
  }
}

}  // namespace tileplan
