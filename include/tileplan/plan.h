// SPDX-License-Identifier: Apache-2.0
// plan() ranks the schedules of a problem on a machine. Plans can be saved and loaded.
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
  unmeasured,  ///< No candidates were compared.
  decided,     ///< The first is faster than all other measured candidates, at 95 % confidence.
  tied,        ///< No other measured one is over 1 % faster than the first, at 95 % confidence.
  /// The measurements cannot show `decided` or `tied`, because the budget was used up, a stop was
  /// requested, each candidate had 25 samples, or candidates measured at different times have
  /// overlapping confidence intervals.
  undecided,
};

/// Holds a ranked list of candidates; the first one is the choice.
///
/// Measured candidates come first, fastest first, and the others follow by predicted time.
/// Predictions within 3 % of the best are tied. Among ties, candidates with less traffic from
/// beyond the second-level cache come first (numbers of bytes between the same two powers of two
/// are equal). Then, within 0.5 % of the best, those with longer reductions per microkernel call
/// come first, then, where a link is the bottleneck, those that store more adjacent vectors, then
/// those with fewer loops. The predicted time decides last. The number of similar schedules in the
/// list is limited, and the schedules above the limit come last, so that the list stays diverse.
/// With Algorithm::any and at least two places, the list has a direct and a Winograd schedule if
/// both exist.
struct Plan {
  Problem problem = {};
  Machine machine = {};
  Options options = {};
  /// Lists the candidates in the order that the comment of Plan describes; there is at least one.
  std::vector<Candidate> candidates = {};
  /// Counts rejected candidates, sorted by reason.
  std::vector<Rejected> rejected = {};
  /// Lists candidates that verify() could not measure. `rejected` counts them too.
  std::vector<Failure> failures = {};
  Verdict verdict = Verdict::unmeasured;
  Certificate certificate = {};
  /// Counts the operations: 2 per multiply-add, including multiply-adds on padding.
  double flops = 0;
  double plan_seconds = 0;  ///< Gives the time of planning without measurements.
  /// Gives the time of measurements, including `waiting_seconds`.
  double measure_seconds = 0;
  /// Gives the time of waits for a quiet machine and of samples that were not kept.
  double waiting_seconds = 0;

  bool operator==(const Plan&) const = default;
};

/// Returns a ranked list of schedules. Without `options.verify`, equal inputs give equal plans
/// except for plan_seconds (which operator== compares too). Schedules whose register tiles span
/// more than 2^30 bytes of a tensor are rejected, because compile() refuses them. Throws Error with
/// the rule when the problem, the machine or an option violates one, when no schedule fits, and
/// where verify() does. Several threads may call it, but concurrent measurements disturb one
/// another.
Plan plan(const Problem& problem, const Machine& machine, const Options& options = {});

/// Holds a plan and all direct candidates that its search found, among which nearest_rival()
/// searches.
struct PlanWithRivals {
  Plan plan = {};
  /// Lists the candidates, without measurements, in the order that the comment of Plan describes.
  /// If several differ only in T and R loops and move the same bytes at every cache level, only the
  /// first is listed.
  std::vector<Candidate> rivals = {};
};

/// Returns plan() together with all direct candidates of its search. It takes hardly longer than
/// plan(). Throws Error where plan() does.
PlanWithRivals plan_with_rivals(const Problem& problem, const Machine& machine,
                                const Options& options = {});

/// Return plan() of `shape` and store the result. A later call with equal arguments returns the
/// stored plan, with its measurements and times, in under 10 us. The process stores its last 256
/// plans, except for plans whose measurements request_stop() cut short. Several threads may call
/// these functions at once.
Plan plan_conv(const ConvShape& shape, const Machine& machine, const Options& options = {});
Plan plan_gemm(const GemmShape& shape, const Machine& machine, const Options& options = {});

/// Returns a plan with `schedule` as its only candidate, and its prediction. Nothing is searched,
/// so the bound of the certificate is 0, and nothing is measured. The prediction uses the threads,
/// the capacity rule and the regime of `options`; compile() and verify() use further ones.
/// Options::weights of the plan is `plain` if the schedule takes plain weights. Throws Error when
/// the problem, the machine or an option violates a rule, when the machine lacks the ISA of the
/// schedule, when a layout does not exist, and when the sizes of the loops do not multiply to the
/// extents of `problem`. Several threads may call this function at once.
Plan plan_of(const Problem& problem, const Machine& machine, const Schedule& schedule,
             const Options& options = {});

/// Writes `plan`, including its machine, as JSON. The file is replaced atomically, and missing
/// folders are created. Requires finite numbers. Throws Error when the file cannot be written.
void save_plan(const Plan& plan, const std::string& path);

/// Returns the plan that save_plan() wrote, ready for compile() without planning or measuring.
/// load_plan(path) == plan if its texts are UTF-8, each Axis::pad_after is exactly as large as the
/// last window needs, and default distances of a gemm are none, as in parsed problems. Throws Error
/// with the file, the field and the rule; compile() checks that the schedules belong to the
/// problem.
Plan load_plan(const std::string& path);

}  // namespace tileplan
