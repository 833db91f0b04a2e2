// SPDX-License-Identifier: Apache-2.0
// Sequential elimination by rank sums, indifference by paired ratios.
#include "sequential_race.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tileplan {

namespace {

/// Kept samples at which a workload is compared with the leader. Five against five is the least
/// that the rank-sum test can tell at 0.05 / 6.
constexpr std::array<std::size_t, 6> kLooks{5, 7, 9, 13, 18, 25};

/// Rounds that both kept, the leader second.
std::vector<SamplePair> common_rounds(const Series& other, const Series& leader) {
  std::vector<SamplePair> pairs;
  const std::size_t rounds = std::min(other.samples.size(), leader.samples.size());
  for (std::size_t i = 0; i < rounds; ++i)
    if (other.samples[i].kept && leader.samples[i].kept)
      pairs.push_back({other.samples[i].seconds, leader.samples[i].seconds});
  return pairs;
}

}  // namespace

void Contest::judge(const std::vector<Series>& series) {
  std::vector<std::vector<double>> kept;
  kept.reserve(series.size());
  for (const Series& one : series) kept.push_back(one.kept_seconds());
  const std::optional<std::size_t> leader = leader_of(kept);
  if (!leader) return;
  drop_slower(kept, *leader);
  std::size_t left = 0, fewest = kept[*leader].size();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!in_[i]) continue;
    ++left;
    fewest = std::min(fewest, kept[i].size());
  }
  const bool looks = round_looks_ < kLooks.size() && fewest >= kLooks[round_looks_];
  while (round_looks_ < kLooks.size() && fewest >= kLooks[round_looks_]) ++round_looks_;
  if (left == 1)
    verdict_ = Verdict::decided;
  else if (looks)
    verdict_ = compare_rounds(series, *leader);
  const bool wanting =
      verdict_ == Verdict::undecided && fewest < static_cast<std::size_t>(rules_.most);
  over_ = fewest >= static_cast<std::size_t>(enough_) && !wanting;
}

std::optional<std::size_t> Contest::leader_of(const std::vector<std::vector<double>>& kept) const {
  std::optional<std::size_t> leader;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (in_[i] && !kept[i].empty() && (!leader || median(kept[i]) < median(kept[*leader])))
      leader = i;
  return leader;
}

void Contest::drop_slower(const std::vector<std::vector<double>>& kept, std::size_t leader) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i == leader || !in_[i]) continue;
    const std::size_t count = std::min(kept[i].size(), kept[leader].size());
    if (looks_[i] == kLooks.size() || count < kLooks[looks_[i]]) continue;
    while (looks_[i] < kLooks.size() && count >= kLooks[looks_[i]]) ++looks_[i];
    in_[i] = rank_sum_p_value(kept[leader], kept[i]) > risk_per_look();
  }
}

double Contest::risk_per_look() const {
  return (1 - rules_.confidence) / static_cast<double>(kLooks.size());
}

Verdict Contest::compare_rounds(const std::vector<Series>& series, std::size_t leader) const {
  const double confidence = 1 - risk_per_look();
  double behind = 0;  // the leader's time over that of another, at most
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (i == leader || !in_[i]) continue;
    const std::vector<SamplePair> pairs = common_rounds(series[i], series[leader]);
    if (pairs.empty()) return Verdict::undecided;
    const MedianInterval ratio = median_ratio(pairs, confidence);
    if (ratio.confidence < confidence) return Verdict::undecided;
    behind = std::max(behind, ratio.high);
  }
  if (behind < 1) return Verdict::decided;
  return behind <= 1 + rules_.indifference ? Verdict::tied : Verdict::undecided;
}

std::vector<std::size_t> Contest::contenders() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < in_.size() && !over_; ++i)
    if (in_[i]) all.push_back(i);
  return all;
}

ContestResult measure_contest(const std::vector<Workload>& workloads, Instruments& instruments,
                              const RunnerOptions& options, const ContestRules& rules) {
  Contest contest(workloads.size(), rules, options.enough);
  ContestResult result;
  result.runs =
      measure_rounds(workloads, instruments, options, [&](const std::vector<Series>& series) {
        contest.judge(series);
        return contest.contenders();
      });
  if (!workloads.empty()) result.verdict = contest.verdict();
  return result;
}

}  // namespace tileplan
