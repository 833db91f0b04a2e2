// SPDX-License-Identifier: Apache-2.0
// This file holds what the exact search minimises: the terms of eq. (T), and the compute time by
// the length of the accumulation.
#pragma once

#include <algorithm>
#include <cmath>

namespace tileplan {

/// Gives the microkernel seconds of the whole computation for any number of reduction steps per
/// call. The first call of each output tile clears it, and the others resume (models/README.md eq.
/// (S)).
struct ComputeTime {
  double call = 0;       ///< It is the seconds of all calls if each made one step.
  double resume = 0;     ///< It is the same for the extra time of a call that resumes.
  double step = 0;       ///< It is the seconds of all steps.
  double all_steps = 1;  ///< A call makes so many steps when no reduction is split.

  double seconds(double steps) const { return (call + resume) / steps - resume / all_steps + step; }
  double least() const { return seconds(all_steps); }
};

/// Evaluates eq. (T) with exponent rho, where infinity is the maximum. The search adds and compares
/// powers (seconds / scale)^rho. The scale keeps large exponents in range.
class Objective {
 public:
  Objective(const ComputeTime& compute, bool with_compute, double exponent, double scale)
      : compute_(compute),
        with_compute_(with_compute),
        exponent_(exponent),
        scale_(scale > 0 && std::isfinite(scale) ? scale : 1) {}

  double power(double seconds) const {
    return is_maximum() || std::isinf(seconds) ? seconds : std::pow(seconds / scale_, exponent_);
  }
  double seconds(double power) const {
    return is_maximum() || std::isinf(power) ? power : scale_ * std::pow(power, 1 / exponent_);
  }
  double join(double a, double b) const { return is_maximum() ? std::max(a, b) : a + b; }
  /// Returns the seconds that one more term may add to `used` before the total exceeds `limit`
  /// (both powers). It is negative when there are none.
  double left(double limit, double used) const {
    if (used > limit) return -1;
    return is_maximum() ? limit : seconds(limit - used);
  }
  /// Returns the power above which a term added to `used` exceeds `limit`. Requires used <= limit.
  double beyond(double limit, double used) const { return is_maximum() ? limit : limit - used; }

  double all_steps() const { return compute_.all_steps; }
  /// Returns the power of the compute time with `steps` reduction steps per call.
  double compute(double steps) const { return with_compute_ ? power(compute_.seconds(steps)) : 0; }

 private:
  bool is_maximum() const { return std::isinf(exponent_); }

  ComputeTime compute_;
  bool with_compute_;
  double exponent_;
  double scale_;
};

}  // namespace tileplan
