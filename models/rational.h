// SPDX-License-Identifier: Apache-2.0
// This file defines exact fractions of any size. The standard library has none, and fractions of
// fixed size overflow for the denominators of Winograd matrices.
#pragma once

// GCC 12 warns about an uninitialised member, because it does not see that a fraction records which
// member of its union is in use.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/multiprecision/cpp_int.hpp>
#pragma GCC diagnostic pop

namespace tileplan {

/// Holds an exact fraction. Conversion to float or double rounds to the nearest number.
using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend,
                                               boost::multiprecision::et_off>;

/// Returns true when float represents `value` exactly.
inline bool is_exact_float(const Rational& value) {
  return Rational(static_cast<float>(value)) == value;
}

}  // namespace tileplan
