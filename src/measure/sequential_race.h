// SPDX-License-Identifier: Apache-2.0
// Races workloads: drops those that are clearly slower, and stops when the race is decided.
#pragma once

#include <optional>
#include <vector>

#include "runner.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Drops a workload when a rank-sum test, Bonferroni-corrected over the numbers of samples at which
/// it is tested, says that it is slower than the leader. The race is decided when the intervals of
/// their ratios say that the leader is faster than all others, and tied when they say that it is at
/// most 1 % slower than any. Requires: sample i belongs to round i, and Sample::kept is set.
class SequentialRace {
 public:
  SequentialRace(std::size_t workloads, int enough);

  void update(const std::vector<Series>& series);

  /// Returns the workloads that still need samples. There are none when the race is over.
  std::vector<std::size_t> contenders() const {
    return over_ ? std::vector<std::size_t>{} : contending_;
  }
  Verdict verdict() const { return verdict_; }

 private:
  /// Returns the contender with the smallest median, if any has samples.
  std::optional<std::size_t> leader_of(const std::vector<std::vector<double>>& kept) const;
  void drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader);
  Verdict compare_rounds(const std::vector<Series>& series, std::size_t leader) const;

  std::size_t enough_;
  std::vector<std::size_t> contending_;
  std::vector<std::size_t> tests_done_;  ///< Each workload has its count.
  std::size_t round_tests_done_ = 0;     ///< Comparisons of the rounds of all are counted.
  bool over_ = false;
  Verdict verdict_ = Verdict::undecided;
};

struct RaceResult {
  RunnerResult runs;
  Verdict verdict = Verdict::unmeasured;
};

/// Takes one sample of each contender per round until the race or the budget is over.
RaceResult run_race(const std::vector<Workload>& workloads, Instruments& instruments,
                    const RunnerOptions& options);

/// Holds candidates that were measured side by side, and their verdict.
struct Comparison {
  Verdict verdict = Verdict::unmeasured;
  std::vector<Measurement> measured = {};
};

/// Returns the verdict over two comparisons at different times. The side with the fastest candidate
/// keeps its verdict when the intervals of all candidates of the other lie above the fastest one's.
/// Otherwise it is `undecided`. A side without measurements does not count.
Verdict joint_verdict(const Comparison& one, const Comparison& other);

}  // namespace tileplan
