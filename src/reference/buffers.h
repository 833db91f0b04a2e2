// SPDX-License-Identifier: Apache-2.0
// This file allocates aligned buffers for tensors and fills them with random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "check.h"
#include "element.h"
#include "tileplan/elements.h"

namespace tileplan {

/// Holds a view of elements, whose alternatives have the order of ElementType.
using Values =
    std::variant<std::span<const float>, std::span<const double>, std::span<const Bf16>,
                 std::span<const F16>, std::span<const std::uint8_t>, std::span<const std::int8_t>,
                 std::span<const std::int16_t>, std::span<const std::int32_t>>;

/// Owns memory for elements of one type, which are zero at first. All pages are touched, so that no
/// page faults happen in measurements. Buffers of at least 2 MiB are aligned to huge pages and
/// request them. Smaller buffers are aligned to 4 KiB.
class Buffer {
 public:
  explicit Buffer(std::size_t elements, ElementType type = ElementType::f32);

  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * static_cast<std::size_t>(bytes_of(type_)); }
  ElementType type() const { return type_; }
  /// Returns the address of the first element. Requires that the elements have type Number.
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
  ConstElements elements() const { return {data_.get(), size_, type_}; }
  Elements elements() { return {data_.get(), size_, type_}; }
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

/// Fills `values` with numbers from `seed`. Real numbers are multiples of epsilon, uniform in
/// [-1, 1). About one integer in eight is the smallest or the largest of its type, and the others
/// are uniform over the range of the type.
void fill_random(std::span<float> values, std::uint64_t seed);
void fill_random(std::span<double> values, std::uint64_t seed);
void fill_random(Buffer& buffer, std::uint64_t seed);

/// Advances `state` and returns the next number of its splitmix64 sequence.
std::uint64_t next_random(std::uint64_t& state);

}  // namespace tileplan
