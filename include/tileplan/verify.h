// SPDX-License-Identifier: Apache-2.0
// verify() checks the results of the best candidates of a plan and times them on this machine.
#pragma once

#include <cstddef>
#include <string>

#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Tells how far the outputs of a kernel differ from those of plain loops.
struct Check {
  std::size_t compared = 0;  ///< Counts the outputs that were compared.
  double largest_error = 0;  ///< Gives the largest |got - expected|.
  /// Limits the error to 4 * epsilon * sqrt(reduction length) * scale. The scale is the largest
  /// |expected|, the largest intermediate value of the epilogue, or the root mean square of a sum
  /// of random products of this length, whichever is largest. The tolerance is 0 for integers, and
  /// an output in bf16 or f16 adds one unit in its last place. In a Winograd convolution each
  /// output has a tolerance of its own, four deviations of its rounding errors (models/README.md
  /// eq. (W3)), and all fields are those of the output whose error is the largest share of its
  /// tolerance. In check_network(), only Winograd steps have such tolerances.
  double tolerance = 0;
  /// Gives the position of the output that `largest_error` belongs to.
  std::size_t worst_index = 0;
  double expected = 0, got = 0;  ///< Give the values of element `worst_index`.

  bool passed() const { return largest_error <= tolerance; }
};

/// Compares every output of `kernel` with plain loops, which are far slower, on random tensors from
/// `seed`. Wrong outputs do not throw. Throws Error when the tensors do not fit into this machine's
/// memory.
Check check_kernel(const Kernel& kernel, std::uint64_t seed = 1);

/// Returns the median time of `kernel` on random tensors in `regime`. Waits for a quiet machine for
/// at most `budget_seconds`. If the machine was never quiet, Measurement::kept is 0 and the median
/// covers all samples. Throws Error when the budget is not positive and finite, when the budget was
/// used up or a stop was requested before the first sample, when the regime is invalid, or when the
/// tensors do not fit into this machine's memory.
Measurement measure(const Kernel& kernel, double budget_seconds, Regime regime = Regime::hot);

/// Returns `plan` with its first `plan.options.verify` candidates measured and the fastest one
/// first. Before a candidate is timed in `plan.options.regime`, a sample of its outputs is compared
/// with exact results, and all outputs with those of the first candidate that passed. Samples of
/// the candidates alternate, and clearly slower candidates are dropped early. Earlier measurements
/// stay in the plan, but the verdict uses only their confidence intervals. Candidates run in a
/// child process, so a candidate that crashes, hangs, exhausts memory or cannot be assembled is
/// only added to `failures` and counted in `rejected`. The time spent is added to
/// Plan::measure_seconds and Plan::waiting_seconds.
///
/// Throws Error when the plan is for another machine, has options that plan() refuses, has no
/// candidates or `verify` is 0, when the tensors do not fit into this machine's memory, when a
/// candidate computes a wrong result, and when candidates failed and none has a measurement.
Plan verify(Plan plan);

/// Asks the measurements of this process to end soon with the samples taken so far, and keeps later
/// measurements from starting. Signal handlers may call this function.
void request_stop();

/// Lets measurements begin again after request_stop().
void clear_stop();

/// Returns true between a call of request_stop() and the next call of clear_stop().
bool stop_requested();

}  // namespace tileplan
