// SPDX-License-Identifier: Apache-2.0
// Aligned f32 buffers, the same for us and for the peers, and their seeded random contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tileplan {

/// Zeroed f32 memory, every page touched, so that no page fault lands in a measurement. Starts at a
/// page; from 2 MiB on at a huge page, and huge pages are asked for. Both sides of a comparison use
/// it.
class Buffer {
 public:
  explicit Buffer(std::size_t floats);

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<float> span() { return {data(), size()}; }
  std::span<const float> span() const { return {data(), size()}; }

 private:
  struct Free {
    std::size_t alignment;
    void operator()(float* memory) const;
  };
  std::unique_ptr<float, Free> data_;
  std::size_t size_ = 0;
};

/// Fills `values` with multiples of 2^-23 drawn uniformly from [-1, 1). The same seed gives the
/// same values on every machine; about 1 ns per value.
void fill_random(std::span<float> values, std::uint64_t seed);

/// The next number of the splitmix64 sequence of `state`.
std::uint64_t next_random(std::uint64_t& state);

}  // namespace tileplan
