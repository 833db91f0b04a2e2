// SPDX-License-Identifier: Apache-2.0
// Compares workloads. Clearly slower ones are dropped early, and sampling ends with the decision.
#pragma once

#include <optional>
#include <vector>

#include "runner.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Drops a workload when a rank-sum test finds it slower than the leader, the workload with the
/// smallest median. The tests are Bonferroni-corrected for repeated testing. By confidence
/// intervals of the ratios of their times, the race is decided when the leader is faster than all
/// others, and tied when no other is more than 1 % faster. Requires that sample i belongs to round
/// i and that Sample::kept is set.
class SequentialRace {
 public:
  SequentialRace(std::size_t workloads, int enough);

  void update(const std::vector<Series>& series);

  /// Returns the workloads that still need samples, or none when the race is over.
  std::vector<std::size_t> contenders() const {
    return over_ ? std::vector<std::size_t>{} : contending_;
  }
  Verdict verdict() const { return verdict_; }

 private:
  /// Returns the contender with the smallest median, or nothing when there are no samples.
  std::optional<std::size_t> leader_of(const std::vector<std::vector<double>>& kept) const;
  void drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader);
  Verdict compare_rounds(const std::vector<Series>& series, std::size_t leader) const;

  std::size_t enough_;
  std::vector<std::size_t> contending_;
  std::vector<std::size_t> tests_done_;  ///< Each workload was tested this many times.
  std::size_t round_tests_done_ = 0;     ///< All contenders together were compared this many times.
  bool over_ = false;
  Verdict verdict_ = Verdict::undecided;
};

struct RaceResult {
  RunnerResult runs;
  Verdict verdict = Verdict::unmeasured;
};

/// Takes one sample of each contender per round until the race or the budget ends.
RaceResult run_race(const std::vector<Workload>& workloads, Instruments& instruments,
                    const RunnerOptions& options);

/// Holds the measurements of candidates that were compared with each other, and the verdict.
struct Comparison {
  Verdict verdict = Verdict::unmeasured;
  std::vector<Measurement> measured = {};
};

/// Returns the verdict over two comparisons at different times. If all candidates of the slower
/// comparison have intervals above that of the fastest candidate, the verdict of the faster
/// comparison holds. Otherwise the result is `undecided`. A comparison without measurements is
/// ignored.
Verdict joint_verdict(const Comparison& one, const Comparison& other);

}  // namespace tileplan
