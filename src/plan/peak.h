// SPDX-License-Identifier: Apache-2.0
// A share of peak divides the time that all operations take at the peak by the time of a kernel.
// The clock of the peak is the one that was seen during a measurement, or that of the machine for
// predictions and for measurements that saw none.
#pragma once

#include <optional>

#include "tileplan/plan.h"

namespace tileplan {

/// Returns the peak of one core of `machine`, in flop/s, at the clock that was seen during
/// `measured`, or at the machine's clock if none was seen. The machine may be adapted to any types.
double peak_beside(const Machine& machine, const std::optional<Measurement>& measured);

/// Returns the seconds that all operations of `plan` take at peak_beside() of all its threads.
double seconds_at_peak(const Plan& plan, const std::optional<Measurement>& measured);

}  // namespace tileplan
