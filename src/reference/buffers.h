// SPDX-License-Identifier: Apache-2.0
// Allocates aligned buffers for tensors and fills them with random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "check.h"
#include "element.h"

namespace tileplan {

using Values = std::variant<std::span<const float>, std::span<const double>>;

/// Holds zeroed memory for numbers of one type. Every page is touched, so that no page fault
/// disturbs a measurement. Buffers of at least 2 MiB start at a huge page and ask for huge pages.
class Buffer {
 public:
  explicit Buffer(std::size_t elements, ElementType type = ElementType::f32);

  /// Returns the number of elements.
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * static_cast<std::size_t>(bytes_of(type_)); }
  ElementType type() const { return type_; }
  /// Returns the first number. Requires: the buffer holds numbers of type Number.
  template <class Number = float>
  Number* data() {
    TILEPLAN_CHECK(element_type<Number>() == type_, "a buffer of another element type");
    return reinterpret_cast<Number*>(data_.get());
  }
  template <class Number = float>
  const Number* data() const {
    TILEPLAN_CHECK(element_type<Number>() == type_, "a buffer of another element type");
    return reinterpret_cast<const Number*>(data_.get());
  }
  template <class Number = float>
  std::span<Number> span() {
    return {data<Number>(), size()};
  }
  template <class Number = float>
  std::span<const Number> span() const {
    return {data<Number>(), size()};
  }
  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(data_.get(), size_bytes()));
  }
  Values values() const {
    return with_element(type_, [&](auto zero) -> Values { return span<decltype(zero)>(); });
  }

 private:
  struct Free {
    std::size_t alignment;
    void operator()(char* memory) const;
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0;
  ElementType type_ = ElementType::f32;
};

/// Fills `values` with multiples of 2^-23 (double: 2^-52), uniform in [-1, 1). The values depend
/// only on the seed.
void fill_random(std::span<float> values, std::uint64_t seed);
void fill_random(std::span<double> values, std::uint64_t seed);
void fill_random(Buffer& buffer, std::uint64_t seed);

/// Returns the next number of the splitmix64 sequence of `state`.
std::uint64_t next_random(std::uint64_t& state);

}  // namespace tileplan
