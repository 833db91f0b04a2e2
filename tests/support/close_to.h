// SPDX-License-Identifier: Apache-2.0
// This file compares floating-point numbers of any magnitude.
#pragma once

#include <doctest/doctest.h>

namespace tileplan {

/// Returns a number that equals numbers which differ from it by less than 1.2e-5 of the larger one.
/// By default, doctest adds 1 to the larger number, so times in seconds that differ by less than 12
/// microseconds would be equal.
inline doctest::Approx close_to(double value) { return doctest::Approx(value).scale(0); }

}  // namespace tileplan
