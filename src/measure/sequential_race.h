// SPDX-License-Identifier: Apache-2.0
// This file compares workloads. Slower workloads are dropped early, and sampling ends with the
// decision.
#pragma once

#include <optional>
#include <vector>

#include "runner.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Drops each workload that a rank-sum test finds slower than the leader, which has the smallest
/// median. The race is decided when no other workload is left, or when confidence intervals show
/// the leader to be faster than all others. It is tied when they show no other to be more than 1 %
/// faster. It ends when each contender has `enough` kept samples, and it is decided or tied or each
/// contender has 25. Requires that sample i belongs to round i, and Sample::kept is set.
class SequentialRace {
 public:
  SequentialRace(std::size_t workloads, int enough);

  void update(const std::vector<Series>& series);

  /// Returns the workloads that need more samples, or none when the race is over.
  std::vector<std::size_t> contenders() const {
    return over_ ? std::vector<std::size_t>{} : contending_;
  }
  Verdict verdict() const { return verdict_; }

 private:
  /// Returns the contender with the smallest median, or nothing when there are no kept samples.
  std::optional<std::size_t> leader_of(const std::vector<std::vector<double>>& kept) const;
  void drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader);
  Verdict compare_rounds(const std::vector<Series>& series, std::size_t leader) const;

  std::size_t enough_;
  std::vector<std::size_t> contending_;
  /// Workload i has reached this many of the sample counts at which it is compared with the leader.
  std::vector<std::size_t> tests_done_;
  /// Every contender has reached this many of the sample counts at which the leader is compared
  /// with all others.
  std::size_t round_tests_done_ = 0;
  bool over_ = false;
  Verdict verdict_ = Verdict::undecided;
};

struct RaceResult {
  RunnerResult runs;
  Verdict verdict = Verdict::unmeasured;
};

/// Takes one sample of each contender per round until the race or the budget ends, or
/// `options.stop` returns true. The verdict is `unmeasured` when there are no workloads.
RaceResult run_race(const std::vector<Workload>& workloads, Instruments& instruments,
                    const RunnerOptions& options);

/// Holds the result of comparing candidates with each other, and the times of these candidates.
struct Comparison {
  Verdict verdict = Verdict::unmeasured;
  std::vector<Measurement> measured = {};
};

/// Combines two comparisons that were made at different times. If all candidates of the slower
/// comparison have intervals above the interval of the fastest candidate, and all these have at
/// least 5 kept samples, returns the verdict of the faster comparison, and otherwise `undecided`.
/// Ignores a comparison without measurements.
Verdict joint_verdict(const Comparison& one, const Comparison& other);

}  // namespace tileplan
