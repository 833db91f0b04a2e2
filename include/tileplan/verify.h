// SPDX-License-Identifier: Apache-2.0
// verify(): check and time the best candidates of a plan on this machine.
#pragma once

#include <cstddef>
#include <string>

#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {

/// The outcome of comparing a kernel with the plain reference.
struct Check {
  std::size_t compared = 0;  ///< outputs compared
  double largest_error = 0;  ///< |got - expected|
  /// 4 * epsilon of the type * sqrt(reduction length) * the largest |expected|, or what sums of so
  /// many products of random numbers are at the root mean square when that is larger.
  double tolerance = 0;
  std::size_t worst_index = 0;   ///< element offset of the largest error
  double expected = 0, got = 0;  ///< there

  bool passed() const { return largest_error <= tolerance; }
};

/// Compares every output of `kernel` on random tensors of `seed` with the plain reference, which is
/// far slower than the kernel. Throws Error when the tensors do not fit this machine's memory; a
/// wrong output is no error: see Check::passed.
Check check_kernel(const Kernel& kernel, std::uint64_t seed = 1);

/// Gated median time of `kernel` alone on seeded random tensors, in `regime`. Waits for a quiet
/// machine at most `budget_seconds`; `kept` is 0 when it never was, and the median is then of all
/// samples. Throws Error when the budget is not positive and finite, or it was over or a stop was
/// requested before the first sample, for a regime that there is not, and when the tensors do not
/// fit this machine's memory.
Measurement measure(const Kernel& kernel, double budget_seconds, Regime regime = Regime::hot);

/// Measures the first `plan.options.verify` candidates interleaved, in `plan.options.regime`, each
/// checked before it is timed, and moves the fastest to the front; those that have a measurement
/// already are not measured again. Candidates run in a child process: one that crashes, hangs or
/// takes all memory is a failure and costs nothing else, and so does one whose schedule cannot be
/// assembled. Clearly slower ones are dropped early; the verdict says whether the first could be
/// told apart, from those measured before by their intervals alone. Failures are counted in
/// `rejected`, times are added to those of the plan. Throws Error when the plan is for another
/// machine than this host, has options that plan() refuses, none to measure or no candidates, when
/// its tensors do not fit this machine's memory, when a candidate computes a wrong result, and when
/// candidates failed and none has a measurement.
Plan verify(Plan plan);

/// Asks running measurements of this process to end soon with what they have, and later ones not to
/// begin. Safe in signal handlers.
void request_stop();

/// Lets measurements begin again after request_stop().
void clear_stop();

}  // namespace tileplan
