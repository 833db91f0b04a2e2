// SPDX-License-Identifier: Apache-2.0
// plan(): Problem x Machine -> ranked schedules and why.
#pragma once

#include <string>
#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// How the comparison of the measured candidates ended.
enum class Verdict {
  unmeasured,  ///< nothing was compared
  decided,     ///< all others are slower, at 95 % confidence
  tied,        ///< no other is more than 1 % faster, at 95 % confidence
  /// The budget was over first, 25 samples of each were taken, or candidates that were measured at
  /// different times have intervals that overlap.
  undecided,
};

/// A ranked list; the first is the choice. Candidates that were measured come first, fastest first.
/// The others come by predicted time, but those within 3 % of the best, which the model does not
/// tell apart, by the rules of src/search/rank.h: longer reductions per microkernel call, then
/// fewer bytes from beyond the second-level cache (by powers of two), then fewer loops. Where one
/// kind of schedule has had its share of the list, the rest of it comes after all other kinds.
struct Plan {
  Problem problem = {};
  Machine machine = {};
  Options options = {};
  std::vector<Candidate> candidates = {};  ///< never empty
  std::vector<Rejected> rejected = {};     ///< sorted by reason
  std::vector<Failure> failures = {};      ///< of verify(); counted in `rejected` too
  Verdict verdict = Verdict::unmeasured;
  Certificate certificate = {};
  double flops = 0;            ///< 2 per multiply-add, border taps included; of relations too
  double plan_seconds = 0;     ///< spent on the model
  double measure_seconds = 0;  ///< spent on measuring, waiting for a quiet machine included
  double waiting_seconds = 0;  ///< of these, on a disturbed machine: samples not kept included

  bool operator==(const Plan&) const = default;
};

/// Ranks schedules of `problem` on `machine`. Without `options.verify` the same inputs give the
/// same plan, but for plan_seconds, which == compares too. Schedules with register tiles that reach
/// over more than 2^30 bytes of a tensor, which compile() refuses, are rejected. Throws Error,
/// naming the rule, when the problem, the machine or the options break one, or no schedule fits,
/// and with `options.verify` as verify(). Safe to call from several threads; those that measure
/// disturb each other.
Plan plan(const Problem& problem, const Machine& machine, const Options& options = {});

/// The same, remembered: a second call with equal arguments gives the plan of the first in under
/// 10 us (longer when `machine` has a `family`), its measurements and times included. The last 256
/// different plans of the process are kept, but for those whose measurements request_stop() cut
/// short. Safe to call from several threads.
Plan plan_conv(const ConvShape& shape, const Machine& machine, const Options& options = {});
Plan plan_gemm(const GemmShape& shape, const Machine& machine, const Options& options = {});

/// The plan that consists of `schedule` alone, with its prediction; of `options` the epilogue, the
/// threads and the capacity count. Nothing is searched: the certificate's bound is 0. Throws Error
/// as plan(), and when the products of the schedule do not equal the extents of `problem`. Safe to
/// call from several threads.
Plan plan_of(const Problem& problem, const Machine& machine, const Schedule& schedule,
             const Options& options = {});

/// Writes `plan` as JSON, all of it, its machine included, as a whole or not at all; makes missing
/// folders. Requires: finite numbers. Throws Error.
void save_plan(const Plan& plan, const std::string& path);

/// What save_plan wrote: load_plan(path) == plan when the plan's texts are UTF-8 and each
/// Axis::pad_after is what the last window reads, as in problems that were parsed. A kernel is
/// compiled from it without planning or measuring again. Throws Error with the file, the field and
/// the rule; that the schedules belong to the problem is checked by `compile`.
Plan load_plan(const std::string& path);

}  // namespace tileplan
