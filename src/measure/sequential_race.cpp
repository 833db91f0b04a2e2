// SPDX-License-Identifier: Apache-2.0
// Drops slower workloads by rank-sum tests, and finds ties by paired ratios.
#include "sequential_race.h"

#include <algorithm>
#include <array>

namespace tileplan {
namespace {

/// A workload is tested at these numbers of samples; the rank-sum test needs 5 for 0.05 / 6.
constexpr std::array<std::size_t, 6> kTestCounts{5, 7, 9, 13, 18, 25};

/// Counts the tests up to `samples` as done, and returns whether one of them is new.
bool is_test_due(std::size_t samples, std::size_t& done) {
  const std::size_t before = done;
  while (done < kTestCounts.size() && samples >= kTestCounts[done]) ++done;
  return done > before;
}

/// Returns the samples of the rounds that both kept, the leader second.
std::vector<SamplePair> common_rounds(const Series& other, const Series& leader) {
  std::vector<SamplePair> pairs;
  const std::size_t rounds = std::min(other.samples.size(), leader.samples.size());
  for (std::size_t i = 0; i < rounds; ++i)
    if (other.samples[i].kept && leader.samples[i].kept)
      pairs.push_back({other.samples[i].seconds, leader.samples[i].seconds});
  return pairs;
}

bool is_faster(const Measurement& one, const Measurement& other) {
  return one.median_seconds < other.median_seconds;
}

/// Returns whether the intervals lie apart, each of enough samples for a rank-sum test.
bool is_clearly_slower(const Measurement& slow, const Measurement& fast) {
  return std::min(slow.kept, fast.kept) >= static_cast<int>(kTestCounts.front()) &&
         slow.low_seconds > fast.high_seconds;
}

}  // namespace

void SequentialRace::update(const std::vector<Series>& series) {
  std::vector<std::vector<double>> kept;
  kept.reserve(series.size());
  for (const Series& one : series) kept.push_back(one.kept_seconds());
  const std::optional<std::size_t> leader = leader_of(kept);
  if (!leader) return;
  drop_slower(kept, *leader);
  std::size_t left = 0, fewest = kept[*leader].size();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!contending_[i]) continue;
    ++left;
    fewest = std::min(fewest, kept[i].size());
  }
  const bool is_due = is_test_due(fewest, round_tests_done_);
  if (left == 1)
    verdict_ = Verdict::decided;
  else if (is_due)
    verdict_ = compare_rounds(series, *leader);
  const bool wanting =
      verdict_ == Verdict::undecided && fewest < static_cast<std::size_t>(rules_.most);
  over_ = fewest >= static_cast<std::size_t>(enough_) && !wanting;
}

std::optional<std::size_t> SequentialRace::leader_of(
    const std::vector<std::vector<double>>& kept) const {
  std::optional<std::size_t> leader;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (contending_[i] && !kept[i].empty() && (!leader || median(kept[i]) < median(kept[*leader])))
      leader = i;
  return leader;
}

void SequentialRace::drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i == leader || !contending_[i]) continue;
    const std::size_t count = std::min(kept[i].size(), kept[leader].size());
    if (!is_test_due(count, tests_done_[i])) continue;
    contending_[i] = rank_sum_p_value(kept[leader], kept[i]) > risk_per_test();
  }
}

double SequentialRace::risk_per_test() const {
  return (1 - rules_.confidence) / static_cast<double>(kTestCounts.size());
}

Verdict SequentialRace::compare_rounds(const std::vector<Series>& series,
                                       std::size_t leader) const {
  const double confidence = 1 - risk_per_test();
  double behind = 0;  // upper bound of the leader's time over another's
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (i == leader || !contending_[i]) continue;
    const std::vector<SamplePair> pairs = common_rounds(series[i], series[leader]);
    if (pairs.empty()) return Verdict::undecided;
    const MedianInterval ratio = median_ratio(pairs, confidence);
    if (ratio.confidence < confidence) return Verdict::undecided;
    behind = std::max(behind, ratio.high);
  }
  if (behind < 1) return Verdict::decided;
  return behind <= 1 + rules_.indifference ? Verdict::tied : Verdict::undecided;
}

std::vector<std::size_t> SequentialRace::contenders() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < contending_.size() && !over_; ++i)
    if (contending_[i]) all.push_back(i);
  return all;
}

RaceResult run_race(const std::vector<Workload>& workloads, Instruments& instruments,
                    const RunnerOptions& options, const RaceRules& rules) {
  SequentialRace race(workloads.size(), rules, options.enough);
  RaceResult result;
  result.runs =
      measure_rounds(workloads, instruments, options, [&](const std::vector<Series>& series) {
        race.update(series);
        return race.contenders();
      });
  if (!workloads.empty()) result.verdict = race.verdict();
  return result;
}

Verdict joint_verdict(const Comparison& one, const Comparison& other) {
  if (other.measured.empty()) return one.verdict;
  if (one.measured.empty()) return other.verdict;
  const auto first = std::min_element(one.measured.begin(), one.measured.end(), is_faster);
  const auto second = std::min_element(other.measured.begin(), other.measured.end(), is_faster);
  if (is_faster(*second, *first)) return joint_verdict(other, one);
  return std::all_of(other.measured.begin(), other.measured.end(),
                     [&](const Measurement& each) { return is_clearly_slower(each, *first); })
             ? one.verdict
             : Verdict::undecided;
}

}  // namespace tileplan
