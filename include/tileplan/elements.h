// SPDX-License-Identifier: Apache-2.0
// This header declares views of tensors in memory, which hold the type and the number of the
// elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "tileplan/element.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Lists the C++ types that correspond to an element type. C++20 has no types for bf16 and f16, so
/// views of bf16 and f16 are made from a pointer and an ElementType.
template <class Number>
concept ElementNumber = std::is_same_v<Number, float> || std::is_same_v<Number, double> ||
    std::is_same_v<Number, std::uint8_t> || std::is_same_v<Number, std::int8_t> ||
    std::is_same_v<Number, std::int16_t> || std::is_same_v<Number, std::int32_t>;

template <class Range>
concept ElementRange =
    std::ranges::contiguous_range<Range> && ElementNumber<std::ranges::range_value_t<Range>>;

/// Returns the element type that corresponds to a C++ type.
template <ElementNumber Number>
constexpr ElementType element_type_of() {
  using enum ElementType;
  if constexpr (std::is_same_v<Number, float>) return f32;
  if constexpr (std::is_same_v<Number, double>) return f64;
  if constexpr (std::is_same_v<Number, std::uint8_t>) return u8;
  if constexpr (std::is_same_v<Number, std::int8_t>) return s8;
  if constexpr (std::is_same_v<Number, std::int16_t>) return s16;
  return s32;
}

/// Refers to elements that the caller owns and that the callee only reads. A view is made from any
/// contiguous range, such as a std::vector or a std::span, or from a pointer.
class ConstElements {
 public:
  ConstElements() = default;
  ConstElements(const void* data, std::size_t size, ElementType type)
      : data_(data), size_(size), type_(type) {}
  template <ElementRange Range>
  ConstElements(const Range& range)
      : ConstElements(std::ranges::data(range), std::ranges::size(range),
                      element_type_of<std::ranges::range_value_t<Range>>()) {}

  const char* data() const { return static_cast<const char*>(data_); }
  std::size_t size() const { return size_; }  ///< Returns the number of elements.
  ElementType type() const { return type_; }
  bool empty() const { return size_ == 0; }

 private:
  const void* data_ = nullptr;
  std::size_t size_ = 0;
  ElementType type_ = ElementType::f32;
};

/// Refers to elements that the caller owns and that the callee writes.
class Elements {
 public:
  Elements(void* data, std::size_t size, ElementType type)
      : data_(data), size_(size), type_(type) {}
  template <ElementRange Range>
  requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): Elements is no range.
      Elements(Range&& range)
      : Elements(std::ranges::data(range), std::ranges::size(range),
                 element_type_of<std::ranges::range_value_t<Range>>()) {}

  char* data() const { return static_cast<char*>(data_); }
  std::size_t size() const { return size_; }  ///< Returns the number of elements.
  ElementType type() const { return type_; }
  operator ConstElements() const { return {data_, size_, type_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  ElementType type_ = ElementType::f32;
};

}  // namespace tileplan
