// SPDX-License-Identifier: Apache-2.0
// plan() ranks the schedules of a problem on a machine; a plan can be saved and loaded.
#pragma once

#include <string>
#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Tells how the comparison of the measured candidates ended.
enum class Verdict {
  unmeasured,  ///< Nothing was compared.
  decided,     ///< All others are slower, at 95 % confidence.
  tied,        ///< No other is more than 1 % faster, at 95 % confidence.
  /// Neither could be shown, because the budget was over, each candidate had 25 samples, or
  /// candidates measured at different times have overlapping confidence intervals.
  undecided,
};

/// Is a ranked list of candidates, of which the first is the choice. Measured candidates come
/// first, fastest first, and the others follow by predicted time. The model cannot tell predictions
/// within 3 % of the best apart. Among these, longer reductions per microkernel call come first,
/// then fewer bytes from beyond the second-level cache (compared by powers of two), then fewer
/// loops. So that the list is diverse, schedules of one kind that exceed its share of the list come
/// last.
struct Plan {
  Problem problem = {};
  Machine machine = {};
  Options options = {};
  std::vector<Candidate> candidates = {};  ///< It is never empty.
  std::vector<Rejected> rejected = {};     ///< It is sorted by reason.
  std::vector<Failure> failures = {};      ///< verify() failed here. `rejected` counts them too.
  Verdict verdict = Verdict::unmeasured;
  Certificate certificate = {};
  double flops = 0;            ///< A multiply-add counts 2, and taps on padding count.
  double plan_seconds = 0;     ///< The model took this time.
  double measure_seconds = 0;  ///< Measuring took this time, with `waiting_seconds`.
  double waiting_seconds = 0;  ///< A disturbed machine cost this time, with lost samples.

  bool operator==(const Plan&) const = default;
};

/// Returns a ranked list of schedules. Without `options.verify`, the same inputs give the same plan
/// except for plan_seconds (which operator== compares too). Schedules whose register tiles reach
/// over more than 2^30 bytes of a tensor are rejected, as compile() refuses them. Throws Error with
/// the rule when the problem, the machine or an option breaks one, when no schedule fits, and where
/// verify() does. Several threads may call it, but concurrent measurements disturb each other.
Plan plan(const Problem& problem, const Machine& machine, const Options& options = {});

/// These functions return plan() of the shape and remember it. A second call with equal arguments
/// returns the plan of the first, with its measurements and times, in under 10 us (longer when
/// `machine` has a `family`). The last 256 plans of the process are kept, except those whose
/// measurements request_stop() cut short. Several threads may call it at once.
Plan plan_conv(const ConvShape& shape, const Machine& machine, const Options& options = {});
Plan plan_gemm(const GemmShape& shape, const Machine& machine, const Options& options = {});

/// Returns the plan that consists of `schedule` and its prediction. Nothing is searched, so the
/// bound of the certificate is 0. The epilogue, the threads and the capacity are the options that
/// count. Throws Error where plan() does, and when the products of the schedule's loops differ from
/// the extents of `problem`. Several threads may call it at once.
Plan plan_of(const Problem& problem, const Machine& machine, const Schedule& schedule,
             const Options& options = {});

/// Writes all of `plan`, its machine included, as JSON. The file is replaced as a whole or not at
/// all; missing folders are made. Requires finite numbers. Throws Error.
void save_plan(const Plan& plan, const std::string& path);

/// Returns the plan that save_plan() wrote, ready for compile() without planning or measuring.
/// load_plan(path) == plan if its texts are UTF-8 and each Axis::pad_after is what the last window
/// reads, as in parsed problems. Throws Error with the file, the field and the rule; compile()
/// checks that the schedules belong to the problem.
Plan load_plan(const std::string& path);

}  // namespace tileplan
