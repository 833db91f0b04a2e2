// SPDX-License-Identifier: Apache-2.0
// Races workloads: drops those that are clearly slower, and stops when the race is decided.
#pragma once

#include <optional>
#include <vector>

#include "runner.h"
#include "tileplan/plan.h"

namespace tileplan {

struct RaceRules {
  /// The confidence in each statement "this one is slower" and "at most `indifference` faster".
  double confidence = 0.95;
  /// A difference below this share is not worth more measurements.
  double indifference = 0.01;
  /// Kept samples at most of workloads that cannot be told apart. Fewer leave more ties undecided.
  int most = 25;
};

/// Drops a workload when a rank-sum test, Bonferroni-corrected over the numbers of samples in
/// kTestCounts, says that it is slower than the leader. The race is decided when the leader is
/// ahead of all others by the interval of their ratios, and tied when it is behind none by more
/// than the indifference. Requires: sample i belongs to round i, and Sample::kept is set.
class SequentialRace {
 public:
  SequentialRace(std::size_t workloads, const RaceRules& rules, int enough)
      : rules_(rules), enough_(enough), contending_(workloads, true), tests_done_(workloads, 0) {}

  /// Takes the samples so far into account.
  void update(const std::vector<Series>& series);

  /// Returns the workloads that still need samples; none when the race is over.
  std::vector<std::size_t> contenders() const;

  Verdict verdict() const { return verdict_; }
  bool is_in(std::size_t workload) const { return contending_[workload]; }

 private:
  /// Returns the contender with the smallest median, if any has samples.
  std::optional<std::size_t> leader_of(const std::vector<std::vector<double>>& kept) const;
  void drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader);
  Verdict compare_rounds(const std::vector<Series>& series, std::size_t leader) const;
  /// Returns the probability of an error that each test may have.
  double risk_per_test() const;

  RaceRules rules_;
  int enough_;
  std::vector<bool> contending_;
  std::vector<std::size_t> tests_done_;  ///< per workload
  std::size_t round_tests_done_ = 0;     ///< comparisons of the rounds of all
  bool over_ = false;
  Verdict verdict_ = Verdict::undecided;
};

struct RaceResult {
  RunnerResult runs;
  Verdict verdict = Verdict::unmeasured;
};

/// Takes one sample of each contender per round until the race or the budget is over.
RaceResult run_race(const std::vector<Workload>& workloads, Instruments& instruments,
                    const RunnerOptions& options, const RaceRules& rules = {});

/// Candidates that were measured side by side, and their verdict.
struct Comparison {
  Verdict verdict = Verdict::unmeasured;
  std::vector<Measurement> measured = {};
};

/// Returns the verdict over two comparisons at different times. The side with the fastest candidate
/// keeps its verdict when the intervals of all candidates of the other lie above the fastest one's;
/// otherwise it is `undecided`. A side without measurements does not count.
Verdict joint_verdict(const Comparison& one, const Comparison& other);

}  // namespace tileplan
