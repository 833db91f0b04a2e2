// SPDX-License-Identifier: Apache-2.0
// This file drops slower workloads by rank-sum tests, decides races or declares ties by the ratios
// of paired samples, and combines verdicts.
#include "sequential_race.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace tileplan {
namespace {

/// Two workloads are compared when the smaller number of their kept samples reaches one of these
/// numbers. With fewer than 5 samples of each, a rank-sum test cannot reach a p-value of 0.05 / 6.
constexpr std::array<std::size_t, 6> kTestCounts{5, 7, 9, 13, 18, 25};
/// Limits the probability that one test errs. The rank-sum tests of a workload together then err
/// with a probability of at most 5 %, and so do its confidence intervals (Bonferroni).
constexpr double kRiskPerTest = (1 - 0.95) / static_cast<double>(kTestCounts.size());
/// A race that is not decided is tied when confidence intervals show that no other contender is
/// faster than the leader by more than this share.
constexpr double kIndifference = 0.01;
/// An undecided race ends when each contender has this many kept samples, and at least `enough`.
constexpr std::size_t kMostSamples = 25;

/// Returns true when `samples` reaches a test count for the first time. `done` counts the test
/// counts that were reached.
bool is_test_due(std::size_t samples, std::size_t& done) {
  const std::size_t before = done;
  while (done < kTestCounts.size() && samples >= kTestCounts[done]) ++done;
  return done > before;
}

/// Returns pairs (other, leader) of samples from the rounds in which both samples were kept.
std::vector<SamplePair> common_rounds(const Series& other, const Series& leader) {
  std::vector<SamplePair> pairs;
  const std::size_t rounds = std::min(other.samples.size(), leader.samples.size());
  for (std::size_t i = 0; i < rounds; ++i)
    if (other.samples[i].kept && leader.samples[i].kept)
      pairs.push_back({other.samples[i].seconds, leader.samples[i].seconds});
  return pairs;
}

}  // namespace

SequentialRace::SequentialRace(std::size_t workloads, int enough)
    : enough_(static_cast<std::size_t>(enough)), contending_(workloads), tests_done_(workloads, 0) {
  std::iota(contending_.begin(), contending_.end(), std::size_t{0});
}

void SequentialRace::update(const std::vector<Series>& series) {
  std::vector<std::vector<double>> kept;
  kept.reserve(series.size());
  for (const Series& one : series) kept.push_back(one.kept_seconds());
  const std::optional<std::size_t> leader = leader_of(kept);
  if (!leader) return;
  drop_slower(kept, *leader);
  std::size_t fewest = kept[*leader].size();
  for (const std::size_t i : contending_) fewest = std::min(fewest, kept[i].size());
  const bool is_due = is_test_due(fewest, round_tests_done_);
  if (contending_.size() == 1)
    verdict_ = Verdict::decided;
  else if (is_due)
    verdict_ = compare_rounds(series, *leader);
  over_ = fewest >= enough_ && (verdict_ != Verdict::undecided || fewest >= kMostSamples);
}

std::optional<std::size_t> SequentialRace::leader_of(
    const std::vector<std::vector<double>>& kept) const {
  std::optional<std::size_t> leader;
  for (const std::size_t i : contending_)
    if (!kept[i].empty() && (!leader || median(kept[i]) < median(kept[*leader]))) leader = i;
  return leader;
}

void SequentialRace::drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader) {
  std::erase_if(contending_, [&](std::size_t i) {
    return i != leader &&
           is_test_due(std::min(kept[i].size(), kept[leader].size()), tests_done_[i]) &&
           rank_sum_p_value(kept[leader], kept[i]) <= kRiskPerTest;
  });
}

Verdict SequentialRace::compare_rounds(const std::vector<Series>& series,
                                       std::size_t leader) const {
  // This is an upper bound of the leader's time divided by that of any other contender. The race is
  // decided when it is below 1, and tied when it is at most 1 + kIndifference.
  double slowest = 0;
  for (const std::size_t i : contending_) {
    if (i == leader) continue;
    const std::vector<SamplePair> pairs = common_rounds(series[i], series[leader]);
    if (pairs.empty()) return Verdict::undecided;
    const MedianInterval ratio = median_ratio(pairs, 1 - kRiskPerTest);
    if (ratio.confidence < 1 - kRiskPerTest) return Verdict::undecided;
    slowest = std::max(slowest, ratio.high);
  }
  if (slowest < 1) return Verdict::decided;
  return slowest <= 1 + kIndifference ? Verdict::tied : Verdict::undecided;
}

RaceResult run_race(const std::vector<Workload>& workloads, Instruments& instruments,
                    const RunnerOptions& options) {
  SequentialRace race(workloads.size(), options.enough);
  const auto next_round = [&](const std::vector<Series>& series) {
    race.update(series);
    return race.contenders();
  };
  RunnerResult runs = measure_rounds(workloads, instruments, options, next_round);
  return {.runs = std::move(runs),
          .verdict = workloads.empty() ? Verdict::unmeasured : race.verdict()};
}

Verdict joint_verdict(const Comparison& one, const Comparison& other) {
  if (other.measured.empty()) return one.verdict;
  if (one.measured.empty()) return other.verdict;
  const auto first = std::ranges::min_element(one.measured, {}, &Measurement::median_seconds);
  const auto second = std::ranges::min_element(other.measured, {}, &Measurement::median_seconds);
  if (second->median_seconds < first->median_seconds) return joint_verdict(other, one);
  // Confidence intervals are compared only when both sides have enough samples for a rank-sum test.
  const auto is_slower = [&](const Measurement& each) {
    return std::min(each.kept, first->kept) >= static_cast<int>(kTestCounts.front()) &&
           each.low_seconds > first->high_seconds;
  };
  return std::ranges::all_of(other.measured, is_slower) ? one.verdict : Verdict::undecided;
}

}  // namespace tileplan
