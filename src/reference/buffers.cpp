// SPDX-License-Identifier: Apache-2.0
// Allocates aligned buffers and fills them with seeded random numbers.
#include "buffers.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <new>

namespace tileplan {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::size_t alignment_of(std::size_t bytes) {
  return bytes < kHugePageBytes ? kPageBytes : kHugePageBytes;
}

char* allocate(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  void* memory = ::operator new (bytes, std::align_val_t{alignment});
  // A failure is ignored, because small pages only cause more TLB misses.
  if (alignment == kHugePageBytes)
    madvise(memory, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
  return static_cast<char*>(memory);
}

}  // namespace

void Buffer::Free::operator()(char* memory) const {
  ::operator delete (memory, std::align_val_t{alignment});
}

Buffer::Buffer(std::size_t elements, ElementType type) : size_(elements), type_(type) {
  data_ = {allocate(size_bytes()), Free{alignment_of(size_bytes())}};
  std::fill_n(data_.get(), size_bytes(), '\0');
}

std::uint64_t next_random(std::uint64_t& state) {
  // This is Sebastiano Vigna's splitmix64 (public domain, https://prng.di.unimi.it/splitmix64.c).
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

namespace {

/// Scales a signed random integer of as many bits as the significand of Number has.
template <class Number>
void fill(std::span<Number> values, std::uint64_t seed) {
  constexpr int kBits = std::numeric_limits<Number>::digits;
  constexpr Number kScale = Number{1} / (std::int64_t{1} << (kBits - 1));
  std::uint64_t state = seed;
  for (Number& value : values) {
    const auto bits = static_cast<std::int64_t>(next_random(state));
    value = static_cast<Number>(bits >> (64 - kBits)) * kScale;
  }
}

}  // namespace

void fill_random(std::span<float> values, std::uint64_t seed) { fill(values, seed); }

void fill_random(std::span<double> values, std::uint64_t seed) { fill(values, seed); }

void fill_random(Buffer& buffer, std::uint64_t seed) {
  with_element(buffer.type(), [&](auto zero) { fill(buffer.span<decltype(zero)>(), seed); });
}

}  // namespace tileplan
