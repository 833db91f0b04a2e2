// SPDX-License-Identifier: Apache-2.0
// This file allocates aligned buffers and fills them with pseudorandom numbers.
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
  // A failure is harmless: small pages only cause more TLB misses.
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

/// Returns a number in [-1, 1): a random integer with as many bits as the significand of Number,
/// divided by a power of two.
template <class Number>
Number real_from(std::uint64_t random) {
  constexpr int kBits = significand_bits<Number>();
  using Wide = std::conditional_t<std::is_same_v<Number, double>, double, float>;
  constexpr Wide kScale = Wide{1} / (std::int64_t{1} << (kBits - 1));
  return static_cast<Number>(static_cast<Wide>(static_cast<std::int64_t>(random) >> (64 - kBits)) *
                             kScale);
}

/// Returns the smallest or the largest number for one in eight values of `random`, and bits of the
/// upper half of `random` otherwise.
template <class Number>
Number integer_from(std::uint64_t random) {
  constexpr std::uint64_t kOneIn = 8;
  using Limits = std::numeric_limits<Number>;
  if (random % kOneIn == 0) return random / kOneIn % 2 == 0 ? Limits::min() : Limits::max();
  return static_cast<Number>(random >> 32);
}

template <class Number>
void fill(std::span<Number> values, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (Number& value : values) {
    if constexpr (kIsReal<Number>) {
      value = real_from<Number>(next_random(state));
    } else {
      value = integer_from<Number>(next_random(state));
    }
  }
}

}  // namespace

void fill_random(std::span<float> values, std::uint64_t seed) { fill(values, seed); }

void fill_random(std::span<double> values, std::uint64_t seed) { fill(values, seed); }

void fill_random(Buffer& buffer, std::uint64_t seed) {
  with_element(buffer.type(), [&](auto zero) { fill(buffer.span<decltype(zero)>(), seed); });
}

}  // namespace tileplan
