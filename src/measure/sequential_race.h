// SPDX-License-Identifier: Apache-2.0
// Who is still in a comparison of workloads: drops what is clearly slower, says when it is decided.
#pragma once

#include <optional>
#include <vector>

#include "runner.h"
#include "tileplan/plan.h"

namespace tileplan {

struct ContestRules {
  /// Of each statement "this one is slower" and "no more than `indifference` faster".
  double confidence = 0.95;
  /// Differences that are not worth more measurements.
  double indifference = 0.01;
  /// Kept samples at most of those that cannot be told apart; more cost time, fewer leave more ties
  /// undecided.
  int most = 25;
};

/// Judges series in which sample i of each workload belongs to round i. A workload is dropped when
/// the rank-sum test says that it is slower than the leader; it is asked only when as many samples
/// were kept as kLooks names, and the error is split among the looks (Bonferroni), so that looking
/// often does not weaken the statement. At the same counts the rounds are looked at: the contest is
/// decided when the leader is ahead of each other one by the interval of their ratios, and tied
/// when it is behind none by more than the indifference. Requires: judged samples (Sample::kept).
class Contest {
 public:
  Contest(std::size_t workloads, const ContestRules& rules, int enough)
      : rules_(rules), enough_(enough), in_(workloads, true), looks_(workloads, 0) {}

  /// Takes the samples so far into account.
  void judge(const std::vector<Series>& series);

  /// Workloads that still need samples; none when the contest is over.
  std::vector<std::size_t> contenders() const;

  Verdict verdict() const { return verdict_; }
  bool is_in(std::size_t workload) const { return in_[workload]; }

 private:
  /// The smallest median of those that are in and have samples.
  std::optional<std::size_t> leader_of(const std::vector<std::vector<double>>& kept) const;
  void drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader);
  Verdict compare_rounds(const std::vector<Series>& series, std::size_t leader) const;
  /// Of an error that may be made at any look.
  double risk_per_look() const;

  ContestRules rules_;
  int enough_;
  std::vector<bool> in_;
  std::vector<std::size_t> looks_;  ///< of each workload, so far
  std::size_t round_looks_ = 0;     ///< at the rounds of all
  bool over_ = false;
  Verdict verdict_ = Verdict::undecided;
};

struct ContestResult {
  RunnerResult runs;
  Verdict verdict = Verdict::unmeasured;
};

/// One sample of each workload that is still in per round, until the contest or the budget is over.
ContestResult measure_contest(const std::vector<Workload>& workloads, Instruments& instruments,
                              const RunnerOptions& options, const ContestRules& rules = {});

}  // namespace tileplan
