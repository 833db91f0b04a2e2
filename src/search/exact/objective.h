// SPDX-License-Identifier: Apache-2.0
// This file defines the objective of the exact search: the terms of eq. (T), and the compute time
// as a function of the reduction steps per call.
#pragma once

#include <algorithm>
#include <cmath>

#include "throughput.h"

namespace tileplan {

/// Computes the microkernel seconds of the whole computation for any number of reduction steps per
/// call. The first call of each output tile clears the accumulators, and the others continue the
/// sums (models/README.md eq. (S)).
struct ComputeTime {
  CallCycles base = {};  ///< Gives the cycles of the calls that cover the base box once.
  /// Gives the seconds that the whole computation takes per cycle of a base box: the number of base
  /// boxes that cover all iterations divided by the clock rate.
  double seconds_per_cycle = 0;
  /// Counts the steps of a call when no reduction is split.
  double all_steps = 1;

  double seconds(double steps) const {
    const double resumed = 1 / steps - 1 / all_steps;
    return seconds_per_cycle * (base.of(steps) / steps + resumed * base.resume);
  }
  double least() const { return seconds(all_steps); }
};

/// Evaluates eq. (T) with exponent rho, where infinity gives the maximum. The search adds and
/// compares the terms (seconds / scale)^rho, which are called powers here. The scale keeps large
/// exponents in range. For the maximum, the powers are the seconds themselves.
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
  /// Returns the seconds of one more term with which `used` reaches `limit` (both are powers). The
  /// result is negative when `used` exceeds `limit` already.
  double left(double limit, double used) const {
    if (used > limit) return -1;
    return is_maximum() ? limit : seconds(limit - used);
  }
  /// Returns the power above which a term added to `used` exceeds `limit`. Requires used <= limit.
  double beyond(double limit, double used) const { return is_maximum() ? limit : limit - used; }

  double all_steps() const { return compute_.all_steps; }
  /// Returns the power of the compute time with `steps` reduction steps per call, or 0 if the
  /// objective has no compute time.
  double compute(double steps) const { return with_compute_ ? power(compute_.seconds(steps)) : 0; }

 private:
  bool is_maximum() const { return std::isinf(exponent_); }

  ComputeTime compute_;
  bool with_compute_;
  double exponent_;
  double scale_;
};

}  // namespace tileplan
