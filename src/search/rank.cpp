// SPDX-License-Identifier: Apache-2.0
// This file compares candidates by predictions and traffic, and finally by their text.
#include "rank.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "layouts.h"
#include "prefetches.h"

namespace tileplan {
namespace {

/// Returns the text of the schedule of `candidate` without its T and R loops. Candidates with equal
/// text form a group: they have the same register tile, lists of blocks, parallel loops and marks.
std::string group_of(const Candidate& candidate) {
  Schedule group = candidate.schedule;
  std::erase_if(group.loops, [](const Specifier& each) {
    return each.kind == Kind::tile || each.kind == Kind::rest;
  });
  return to_string(group);
}

/// Two candidates are near-copies when group_of and their bytes at every level are equal.
using DedupKey = std::pair<std::string, std::vector<double>>;

DedupKey dedup_key(const Candidate& candidate) {
  DedupKey key{group_of(candidate), {}};
  for (const LevelPrediction& level : candidate.prediction.levels)
    key.second.push_back(level.bytes);
  return key;
}

/// Identifies a group of candidates by the layouts of the input and the output and by the number of
/// adjacent vectors. Among candidates that are tied with the fastest one, each group has an equal
/// quota of the list.
using TieGroup = std::tuple<Layout, Layout, std::int64_t>;

/// Returns the number of adjacent vectors of a register tile, the largest one if a list of blocks
/// (L) gives their number.
std::int64_t vectors_of(const Schedule& schedule) {
  std::int64_t vectors = 1, listed = 1;
  for (const Specifier& one : schedule.loops) {
    if (one.dim != schedule.loops.back().dim) continue;
    if (one.is_lambda()) listed = std::ranges::max(one.parts, {}, &Part::size).size;
    if (one.kind == Kind::unroll) vectors = one.count > 0 ? one.count : listed;
  }
  return vectors;
}

TieGroup tie_group_of(const Candidate& candidate) {
  const Schedule& schedule = candidate.schedule;
  return {schedule.in, schedule.out, vectors_of(schedule)};
}

/// Returns RankKey::adjacent_vectors. Stores of single vectors that are not adjacent are slower,
/// which the model does not predict (docs/experiments.md).
std::int64_t adjacent_vectors(const Candidate& candidate) {
  const Layout out = candidate.schedule.out;
  const bool has_rows = out == Layout::plain || out == Layout::nhwc;
  return has_rows && is_bound_by_link(candidate.prediction) ? vectors_of(candidate.schedule) : 0;
}

struct RankedCandidate {
  RankKey key;
  Candidate* candidate;
};

/// Returns the binary logarithm of 1 + `bytes`, rounded down. We compare tied predictions by this
/// number, because schedules that load less from beyond the second-level cache are faster while
/// neighbouring cores are busy (docs/experiments.md).
double doublings(double bytes) { return std::floor(std::log2(1 + bytes)); }

double fastest_of(const std::vector<Candidate>& candidates) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Candidate& each : candidates) fastest = std::min(fastest, each.prediction.seconds);
  return fastest;
}

/// Limits the candidates of each kind in a list of `wanted` candidates, as long as candidates of
/// other kinds exist.
class DiversityQuota {
 public:
  DiversityQuota(const std::vector<RankedCandidate>& ranked, std::size_t wanted)
      : per_group_(std::max<std::size_t>(1, wanted / 4)),
        streamed_((wanted + 1) / 2),
        ahead_of_link_((wanted + 1) / 2) {
    for (const RankedCandidate& each : ranked)
      if (each.key.tied) shares_[tie_group_of(*each.candidate)] = 0;
    for (auto& [group, share] : shares_)
      share = std::max<std::size_t>(2, (wanted + shares_.size() - 1) / shares_.size());
  }

  /// Returns true and counts `candidate` when the quota of each of its kinds is not used up.
  bool take(const Candidate& candidate) {
    const auto share = shares_.find(tie_group_of(candidate));
    const bool has_share = share != shares_.end();
    const bool is_streamed = candidate.schedule.nontemporal;
    if (has_share && share->second == 0) return false;
    // The model cannot tell whether `ahead` helps on a busy link (without_prefetches).
    const bool is_ahead_of_link =
        candidate.schedule.ahead && is_bound_by_link(candidate.prediction);
    if (is_streamed && streamed_ == 0) return false;
    if (is_ahead_of_link && ahead_of_link_ == 0) return false;
    if (groups_[group_of(candidate)]++ >= per_group_) return false;
    if (has_share) --share->second;
    if (is_streamed) --streamed_;
    if (is_ahead_of_link) --ahead_of_link_;
    return true;
  }

 private:
  /// Holds the unused quota of each TieGroup with a candidate that is tied with the fastest. A
  /// quota is at least two at first.
  std::map<TieGroup, std::size_t> shares_;
  /// Counts the candidates of each group (group_of) that were taken or that only this count
  /// refused.
  std::map<std::string, std::size_t> groups_;
  std::size_t per_group_;
  std::size_t streamed_;
  std::size_t ahead_of_link_;
};

/// A candidate whose prediction exceeds the fastest one by this factor may still be the fastest
/// when measured. The value was chosen, not fitted (docs/experiments.md).
constexpr double kPlausible = 1.5;

/// Reserves places of the list for the best candidates of each kind that may be fastest when
/// measured. A kind is a pair of layouts of the input and the output, either of direct or of
/// Winograd schedules.
class ReservedSlots {
 public:
  ReservedSlots(const std::vector<RankedCandidate>& ranked, double fastest, std::size_t wanted) {
    // Each kind gets two places, because other programs may disturb a single measurement.
    constexpr std::size_t kEach = 2;
    // Shorter lists have no reserved places, because two for each of several kinds would take most
    // of the list.
    constexpr std::size_t kLongList = 10;
    if (wanted < kLongList) return;
    for (const RankedCandidate& each : ranked) {
      if (each.key.seconds > kPlausible * fastest) continue;
      std::size_t& slots = slots_[kind_of(*each.candidate)];
      if (slots == kEach) continue;
      ++slots;
      ++total_;
    }
  }

  std::size_t total() const { return total_; }

  bool has(const Candidate& one) const {
    const auto slot = slots_.find(kind_of(one));
    return slot != slots_.end() && slot->second > 0;
  }

  void use(const Candidate& one) {
    if (!has(one)) return;
    --slots_[kind_of(one)];
    --total_;
  }

 private:
  using CandidateKind = std::tuple<Layout, Layout, bool>;

  static CandidateKind kind_of(const Candidate& one) {
    return {one.schedule.in, one.schedule.out, one.schedule.winograd.has_value()};
  }

  std::map<CandidateKind, std::size_t> slots_;
  std::size_t total_ = 0;
};

std::vector<RankedCandidate> sort_by_key(std::vector<Candidate>& candidates, double fastest) {
  std::vector<RankedCandidate> ranked;
  ranked.reserve(candidates.size());
  for (Candidate& each : candidates) ranked.push_back({rank_key_of(each, fastest), &each});
  std::ranges::sort(ranked, std::less<>{}, &RankedCandidate::key);
  return ranked;
}

/// Holds the candidates that are in the list, and candidates that may fill the remaining places.
class Shortlist {
 public:
  Shortlist(const std::vector<RankedCandidate>& ranked, double fastest, std::size_t wanted)
      : wanted_(wanted),
        fastest_(fastest),
        quota_(ranked, wanted),
        reserved_(ranked, fastest, wanted) {}

  /// Returns true when `next` is not needed. Candidates that exceeded a quota leave their places to
  /// `next`, unless `next` is far slower.
  bool is_full(const RankedCandidate& next) const {
    const bool is_far = next.key.seconds > kPlausible * fastest_;
    return best_.size() + (is_far ? more_.size() : 0) >= wanted_;
  }

  void add(Candidate candidate) {
    const bool has_room = best_.size() + reserved_.total() < wanted_ || reserved_.has(candidate);
    const bool is_taken = has_room && quota_.take(candidate);
    if (is_taken) reserved_.use(candidate);
    (is_taken ? best_ : more_).push_back(std::move(candidate));
  }

  std::vector<Candidate> take() {
    const std::size_t left = std::min(wanted_ - best_.size(), more_.size());
    std::move(more_.begin(), more_.begin() + static_cast<std::ptrdiff_t>(left),
              std::back_inserter(best_));
    return std::move(best_);
  }

 private:
  std::size_t wanted_;
  double fastest_;
  DiversityQuota quota_;
  ReservedSlots reserved_;
  std::vector<Candidate> best_;
  /// Holds candidates that exceeded a quota, or that found no free place.
  std::vector<Candidate> more_;
};

}  // namespace

RankKey rank_key_of(const Candidate& candidate, double fastest) {
  const Prediction& prediction = candidate.prediction;
  RankKey key{.tied = prediction.seconds <= fastest * (1 + kTie),
              .equal = prediction.seconds <= fastest * (1 + kEqual),
              .reduction_steps = prediction.reduction_steps,
              .adjacent_vectors = adjacent_vectors(candidate),
              .loops = candidate.schedule.loops.size(),
              .seconds = prediction.seconds,
              .schedule = &candidate.schedule};
  for (std::size_t l = 1; l < prediction.levels.size(); ++l)
    key.bytes_beyond_second_level += prediction.levels[l].bytes;
  return key;
}

Decision decide(const RankKey& left, const RankKey& right) {
  if (left.tied && right.tied) {
    const double ours = doublings(left.bytes_beyond_second_level),
                 theirs = doublings(right.bytes_beyond_second_level);
    if (ours != theirs) return {Rule::bytes_beyond_second_level, ours <=> theirs};
  }
  if (left.equal && right.equal) {
    if (left.reduction_steps != right.reduction_steps)
      return {Rule::reduction_steps, right.reduction_steps <=> left.reduction_steps};
    if (left.adjacent_vectors != right.adjacent_vectors)
      return {Rule::adjacent_vectors, right.adjacent_vectors <=> left.adjacent_vectors};
    if (left.loops != right.loops) return {Rule::loops, left.loops <=> right.loops};
  }
  if (left.seconds != right.seconds) return {Rule::seconds, left.seconds <=> right.seconds};
  return {Rule::text, to_string(*left.schedule) <=> to_string(*right.schedule)};
}

std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep) {
  const double fastest = fastest_of(candidates);
  const std::vector<RankedCandidate> ranked = sort_by_key(candidates, fastest);
  Shortlist shortlist(ranked, fastest, static_cast<std::size_t>(keep));
  std::set<DedupKey> seen;
  for (const RankedCandidate& each : ranked) {
    if (shortlist.is_full(each)) break;
    if (seen.insert(dedup_key(*each.candidate)).second) shortlist.add(std::move(*each.candidate));
  }
  return shortlist.take();
}

std::vector<Candidate> best_of_each_algorithm(std::vector<Candidate> candidates, int keep) {
  const auto is_winograd = [](const Candidate& one) { return one.schedule.winograd.has_value(); };
  const auto seconds = [](const Candidate& one) { return one.prediction.seconds; };
  std::optional<Candidate> best[2];
  for (const Candidate& one : candidates) {
    std::optional<Candidate>& mine = best[is_winograd(one) ? 1 : 0];
    if (!mine || seconds(one) < seconds(*mine)) mine = one;
  }
  std::vector<Candidate> kept = best_first(std::move(candidates), keep);
  const auto winograd = std::ranges::count_if(kept, is_winograd);
  const bool is_mixed = winograd > 0 && winograd < static_cast<std::ptrdiff_t>(kept.size());
  std::optional<Candidate>& missing = best[winograd == 0 ? 1 : 0];
  if (is_mixed || keep < 2 || !missing) return kept;
  if (kept.size() == static_cast<std::size_t>(keep)) kept.pop_back();
  kept.push_back(std::move(*missing));
  return kept;
}

}  // namespace tileplan
