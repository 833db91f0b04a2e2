// SPDX-License-Identifier: Apache-2.0
// Compares floating-point numbers of any size.
#pragma once

#include <doctest/doctest.h>

namespace tileplan {

/// Numbers are close when they differ by at most 1e-5 of the larger one, or by the epsilon that is
/// set. doctest's own comparison adds 1 to that, which would make all times in microseconds equal.
inline doctest::Approx close_to(double value) { return doctest::Approx(value).scale(0); }

}  // namespace tileplan
