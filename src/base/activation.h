// SPDX-License-Identifier: Apache-2.0
// This file computes activations in double precision. It also holds the constants with which vector
// code computes exp().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "tileplan/epilogue.h"

namespace tileplan {

/// Returns the activation of `x`. A NaN stays NaN.
inline double activated(const Activation& activation, double x) {
  const auto hard = [&] { return std::clamp(activation.alpha * x + activation.beta, 0.0, 1.0); };
  switch (activation.kind) {
    case ActivationKind::none:
      return x;
    case ActivationKind::leaky:
      return x < 0 ? activation.alpha * x : x;
    case ActivationKind::sigmoid:
      return 1 / (1 + std::exp(-x));
    case ActivationKind::silu:
      return x / (1 + std::exp(-x));
    case ActivationKind::hard_sigmoid:
      return hard();
    case ActivationKind::hard_swish:
      return x * hard();
  }
  return x;
}

/// Returns a bound on the absolute values of all slopes of the activation.
inline double steepness(const Activation& activation) {
  constexpr double kSteepestSilu = 1.1;  // The largest slope, 1.0998, is at x = 2.4.
  switch (activation.kind) {
    case ActivationKind::silu:
      return kSteepestSilu;
    case ActivationKind::hard_swish:
      // Between the limits, the slope 2 * alpha * x + beta goes from -beta to 2 - beta.
      return std::max(1.0, 1 + std::abs(1 - activation.beta));
    case ActivationKind::leaky:
    case ActivationKind::hard_sigmoid:
      return std::max(1.0, std::abs(activation.alpha));
    default:
      return 1;
  }
}

/// Holds the constants with which vector code computes exp(-x) = 2^t = 2^n * 2^f, where n is the
/// integer that is nearest to t = -x / ln 2. Kernels and emitted C take the same steps and round
/// the result of each. First, abs(t) is limited. Adding kShift then rounds t to n, which the lowest
/// bits of the sum hold. A polynomial computes 2^f, and n is added to the exponent of 2^f.
struct ExponentialSteps {
  static constexpr double kPerX = -1.4426950408889634;  ///< Is -1 / ln 2, which turns x into t.
  /// Limits abs(t), so that 2^n and 1 / 2^n are normal numbers.
  static constexpr double kMost = 126;
  /// Is 1.5 * 2^23. An f32 of this size has no bits for fractions.
  static constexpr double kShift = 12582912;
  static constexpr int kExponentBit = 23;  ///< This is the lowest bit of the exponent of an f32.
  /// The polynomial with these coefficients, that of f^6 first, interpolates 2^f at the Chebyshev
  /// nodes of [-1/2, 1/2]. Its relative error is at most 2.6e-9 there.
  static constexpr std::array kPolynomial{1.5461444691130264e-4,
                                          1.3400428177566465e-3,
                                          9.61805667854805e-3,
                                          5.550327226670292e-2,
                                          0.2402265092228862,
                                          0.6931472067028327,
                                          1.0};
};

}  // namespace tileplan
