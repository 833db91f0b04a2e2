// SPDX-License-Identifier: Apache-2.0
// Comparison of floating-point numbers of any size.
#pragma once

#include <doctest/doctest.h>

namespace tileplan {

/// Equal to within 1e-5 of the larger of the two, or the epsilon that is set. doctest's own adds 1
/// to it, so that all times in microseconds are equal.
inline doctest::Approx close_to(double value) { return doctest::Approx(value).scale(0); }

}  // namespace tileplan
