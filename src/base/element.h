// SPDX-License-Identifier: Apache-2.0
// Element types at run time correspond to types of C++.
#pragma once

#include <type_traits>

#include "tileplan/element.h"

namespace tileplan {

/// Returns the element type of Number, which is float or double.
template <class Number>
constexpr ElementType element_type() {
  static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>);
  return std::is_same_v<Number, double> ? ElementType::f64 : ElementType::f32;
}

/// Calls `body` with a zero of the C++ type of `type`, and returns its result.
template <class Body>
decltype(auto) with_element(ElementType type, const Body& body) {
  return type == ElementType::f64 ? body(double{0}) : body(float{0});
}

}  // namespace tileplan
