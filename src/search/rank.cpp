// SPDX-License-Identifier: Apache-2.0
// Sorting and removing copies by what a schedule does rather than by how it is written.
#include "rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "expand_schedules.h"
#include "prefetches.h"

namespace tileplan {
namespace {

/// What two near-copies have in common: register tiles, layouts, marks, and bytes per level.
struct Essence {
  std::string kernels;
  std::vector<double> bytes;

  auto operator<=>(const Essence&) const = default;
};

Essence essence(const Candidate& candidate) {
  Schedule inner = candidate.schedule;
  std::erase_if(inner.loops, [](const Specifier& specifier) {
    return specifier.kind == Kind::tile || specifier.kind == Kind::rest;
  });
  Essence what{to_string(inner), {}};
  for (const LevelPrediction& level : candidate.prediction.levels)
    what.bytes.push_back(level.bytes);
  return what;
}

/// Register tiles and layouts, what a group of candidates has in common.
std::string group_of(const Candidate& candidate) { return essence(candidate).kernels; }

/// What tied candidates are spread over: layouts, and vectors per pixel.
using Likeness = std::tuple<Layout, Layout, std::int64_t>;

Likeness likeness_of(const Candidate& candidate) {
  const Schedule& schedule = candidate.schedule;
  std::string vectorised;
  for (const Specifier& one : schedule.loops)
    if (one.kind == Kind::vector) vectorised = one.dim;
  std::int64_t vectors = 1;
  for (const Specifier& one : schedule.loops)
    if (one.kind == Kind::unroll && one.dim == vectorised) vectors = one.count;
  return {schedule.in, schedule.out, vectors};
}

struct Keyed {
  Merit merit;
  Candidate candidate;
};

/// How often 1 byte doubles to `bytes`. Neighbours use the links beyond the second level too: where
/// the model does not tell schedules apart, the one that needs them less is faster in a busy minute
/// (128 to 128 channels on 147 x 147 pixels, Zen 4, 2026-11-22: input read 8 times instead of once,
/// prefetched, 1.07 of the time).
double doublings(double bytes) { return std::floor(std::log2(1 + bytes)); }

double fastest_of(const std::vector<Candidate>& candidates) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Candidate& each : candidates) fastest = std::min(fastest, each.prediction.seconds);
  return fastest;
}

/// How many more of a list of `wanted` each kind of schedule may have while others are left.
class Dues {
 public:
  Dues(const std::vector<Keyed>& keyed, std::size_t wanted)
      : per_group_(std::max<std::size_t>(1, wanted / 4)),
        streamed_((wanted + 1) / 2),
        ahead_of_link_((wanted + 1) / 2) {
    for (const Keyed& each : keyed)
      if (each.merit.tied) shares_[likeness_of(each.candidate)] = 0;
    for (auto& [likeness, share] : shares_)
      share = std::max<std::size_t>(2, (wanted + shares_.size() - 1) / shares_.size());
  }

  /// Whether the kinds of `candidate` may have one more; then they have it.
  bool take(const Candidate& candidate) {
    const auto share = shares_.find(likeness_of(candidate));
    const bool has_share = share != shares_.end();
    const bool is_streamed = candidate.schedule.nontemporal;
    if (has_share && share->second == 0) return false;
    // Whether `ahead` pays beside a busy link is for a measurement: see without_prefetches.
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
  std::map<Likeness, std::size_t> shares_;     ///< of those tied with the best: equal, at least two
  std::map<std::string, std::size_t> groups_;  ///< taken of each
  std::size_t per_group_;
  std::size_t streamed_;
  std::size_t ahead_of_link_;
};

/// Up to so many times the fastest prediction another layout may be the faster one. Chosen, not
/// fitted: in the one of 281 layers that needed it (2026-11-22) it was predicted at 1.07 times.
constexpr double kPlausible = 1.5;

/// Places that are kept for layouts whose best is far from tied.
class Owed {
 public:
  Owed(const std::vector<Keyed>& keyed, double fastest, std::size_t wanted) {
    constexpr std::size_t kEach = 2;       // one may be disturbed
    constexpr std::size_t kLongList = 10;  // below, all places are for the best
    if (wanted < kLongList) return;
    for (const Keyed& each : keyed) {
      if (each.merit.seconds > kPlausible * fastest) continue;
      std::size_t& places = places_[layouts_of(each)];
      if (places == kEach) continue;
      ++places;
      ++total_;
    }
  }

  std::size_t total() const { return total_; }

  bool has(const Keyed& one) const {
    const auto place = places_.find(layouts_of(one));
    return place != places_.end() && place->second > 0;
  }

  void pay(const Keyed& one) {
    if (!has(one)) return;
    --places_[layouts_of(one)];
    --total_;
  }

 private:
  static Layouts layouts_of(const Keyed& one) {
    return {one.candidate.schedule.in, one.candidate.schedule.out};
  }

  std::map<Layouts, std::size_t> places_;
  std::size_t total_ = 0;
};

std::vector<Keyed> keyed_by_merit(std::vector<Candidate> candidates, double fastest) {
  std::vector<Keyed> keyed;
  for (Candidate& candidate : candidates) {
    Merit merit = merit_of(candidate, fastest);
    keyed.push_back({std::move(merit), std::move(candidate)});
  }
  std::sort(keyed.begin(), keyed.end(),
            [](const Keyed& a, const Keyed& b) { return a.merit < b.merit; });
  return keyed;
}

/// Those that are kept, and those that are when places are left.
class Places {
 public:
  Places(const std::vector<Keyed>& keyed, double fastest, std::size_t wanted)
      : wanted_(wanted), fastest_(fastest), dues_(keyed, wanted), owed_(keyed, fastest, wanted) {}

  /// Quotas make room for others, not for those far behind, as `next` may be.
  bool are_enough(const Keyed& next) const {
    const bool is_far = next.merit.seconds > kPlausible * fastest_;
    return best_.size() + (is_far ? more_.size() : 0) >= wanted_;
  }

  void add(Keyed each) {
    const bool has_room = best_.size() + owed_.total() < wanted_ || owed_.has(each);
    const bool is_taken = has_room && dues_.take(each.candidate);
    if (is_taken) owed_.pay(each);
    (is_taken ? best_ : more_).push_back(std::move(each.candidate));
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
  Dues dues_;
  Owed owed_;
  std::vector<Candidate> best_;
  std::vector<Candidate> more_;  // of kinds that have had their share
};

}  // namespace

Merit merit_of(const Candidate& candidate, double fastest) {
  const Prediction& prediction = candidate.prediction;
  Merit merit{.tied = prediction.seconds <= fastest * (1 + kTie),
              .reduction_steps = prediction.reduction_steps,
              .bytes_beyond_second_level = 0,
              .loops = candidate.schedule.loops.size(),
              .seconds = prediction.seconds,
              .text = to_string(candidate.schedule)};
  for (std::size_t l = 1; l < prediction.levels.size(); ++l)
    merit.bytes_beyond_second_level += prediction.levels[l].bytes;
  return merit;
}

Decision decide(const Merit& left, const Merit& right) {
  if (left.tied && right.tied) {
    if (left.reduction_steps != right.reduction_steps)
      return {Rule::reduction_steps, right.reduction_steps <=> left.reduction_steps};
    const double ours = doublings(left.bytes_beyond_second_level),
                 theirs = doublings(right.bytes_beyond_second_level);
    if (ours != theirs) return {Rule::bytes_beyond_second_level, ours <=> theirs};
    if (left.loops != right.loops) return {Rule::loops, left.loops <=> right.loops};
  }
  if (left.seconds != right.seconds) return {Rule::seconds, left.seconds <=> right.seconds};
  return {Rule::text, left.text <=> right.text};
}

std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep) {
  const double fastest = fastest_of(candidates);
  std::vector<Keyed> keyed = keyed_by_merit(std::move(candidates), fastest);
  Places places(keyed, fastest, static_cast<std::size_t>(keep));
  std::set<Essence> seen;
  for (Keyed& each : keyed) {
    if (places.are_enough(each)) break;
    if (seen.insert(essence(each.candidate)).second) places.add(std::move(each));
  }
  return places.take();
}

}  // namespace tileplan
