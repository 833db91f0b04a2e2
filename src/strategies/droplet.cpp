// SPDX-License-Identifier: Apache-2.0
// Each move of droplet_search() measures one batch of neighbours and applies a significance test.
// TvmDroplet repeats the variant of AutoTVM.
#include "droplet.h"

#include <algorithm>
#include <set>

#include "population.h"
#include "statistics.h"

namespace tileplan {

namespace {

using Visited = std::set<SpacePoint>;

void add_unseen(std::vector<SpacePoint>& batch, std::vector<SpacePoint> points, Visited& visited) {
  for (SpacePoint& point : points)
    if (visited.insert(point).second) batch.push_back(std::move(point));
}

/// Returns the neighbours of the next valid point in the direction of the last move, from
/// `previous` to `candidate`. If this move changed several coordinates, only the first of them
/// counts. Returns nothing without a last move or a next valid point.
std::vector<SpacePoint> speculate(const StrategySpace& space, const SpacePoint& candidate,
                                  const std::optional<SpacePoint>& previous) {
  if (!previous) return {};
  const auto [now, before] = std::ranges::mismatch(candidate, *previous);
  const auto moved = static_cast<std::size_t>(now - candidate.begin());
  const auto next = next_valid(space, candidate, moved, *now > *before ? 1 : -1);
  return next ? neighbours(space, *next) : std::vector<SpacePoint>{};
}

bool is_faster(const Measured& a, const Measured& b, double p_value) {
  if (!(a.mean() < b.mean())) return false;
  if (b.evaluation.samples.empty()) return true;
  return t_test_p_value(a.evaluation.samples, b.evaluation.samples) <= p_value;
}

/// Measures `batch` until the session ends. Returns the fastest measured point, whose measurement
/// is null when no point was measured.
Individual measure_fastest(const StrategySpace& space, SearchSession& session,
                           const std::vector<SpacePoint>& batch) {
  Individual best;
  std::vector<std::string> texts;
  texts.reserve(batch.size());
  for (const SpacePoint& point : batch) texts.push_back(space.text(point));
  session.expect(texts);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const SpacePoint& point = batch[i];
    const Measured* measured = session.measure(texts[i]);
    if (measured == nullptr) break;
    if (best.measured == nullptr || measured->mean() < best.measured->mean())
      best = {point, measured};
  }
  return best;
}

}  // namespace

DropletPath droplet_search(const StrategySpace& space, SearchSession& session,
                           const DropletOptions& options) {
  Individual candidate{options.origin, session.measure(space.text(options.origin))};
  std::optional<SpacePoint> previous;
  Visited visited{options.origin};
  DropletPath path{.candidates = {options.origin}};
  while (candidate.measured != nullptr) {
    std::vector<SpacePoint> batch;
    add_unseen(batch, neighbours(space, candidate.point), visited);
    if (static_cast<int>(batch.size()) < options.width)
      add_unseen(batch, speculate(space, candidate.point, previous), visited);
    const Individual best = measure_fastest(space, session, batch);
    ++path.batches;
    if (best.measured == nullptr ||
        !is_faster(*best.measured, *candidate.measured, options.p_value))
      break;
    previous = candidate.point;
    candidate = best;
    path.candidates.push_back(best.point);
  }
  return path;
}

namespace {

class TvmDroplet {
 public:
  TvmDroplet(const StrategySpace& space, SearchSession& session, const DropletOptions& options)
      : space_(space), session_(session), options_(options) {
    for (const Coordinate& one : space.coordinates) longest_ = std::max(longest_, one.values);
    queue_ = {options.origin};
    visited_ = {options.origin};
  }

  DropletPath run() {
    speculate();
    while (!queue_.empty() && !session_.is_over()) {
      const auto size = static_cast<std::ptrdiff_t>(
          std::min(queue_.size(), static_cast<std::size_t>(options_.width)));
      const std::vector<SpacePoint> batch(queue_.begin(), queue_.begin() + size);
      const bool moved = measure(batch);
      ++path_.batches;
      queue_.erase(queue_.begin(), queue_.begin() + size);
      // AutoTVM drops the last queued point too, so the variant repeats its behaviour.
      if (!queue_.empty()) queue_.pop_back();
      if (moved) {
        step_ = 1;
        enqueue(1);
      }
      speculate();
    }
    return path_;
  }

 private:
  /// Returns true when a better point was found, which includes the first measured point. A new
  /// point with a single sample is compared without a statistical test.
  bool measure(const std::vector<SpacePoint>& batch) {
    bool moved = false;
    for (const SpacePoint& point : batch) {
      if (!is_valid(space_, point)) continue;
      const Measured* measured = session_.measure(space_.text(point));
      if (measured == nullptr) return moved;
      const bool single = measured->evaluation.samples.size() < 2;
      const double p_value = single ? 1 : options_.p_value;
      if (best_.measured != nullptr && !is_faster(*measured, *best_.measured, p_value)) continue;
      best_ = {point, measured};
      path_.candidates.push_back(point);
      moved = true;
    }
    return moved;
  }

  /// Queues the best point, or the origin before a measurement, plus and minus `step` times each of
  /// up to `width` patterns, unless it was queued before. As binary numbers, the patterns count
  /// down from the pattern of ones.
  void enqueue(int step) {
    const SpacePoint from = best_.measured != nullptr ? best_.point : options_.origin;
    SpacePoint pattern(from.size(), 1);
    for (int i = 0; i < options_.width; ++i) {
      for (const int sign : {1, -1}) add(shift(from, pattern, sign * step));
      if (!decrement(pattern)) return;
    }
  }

  /// Returns `point` shifted by `step` times `pattern`. An index wraps around at the end of its
  /// list and stops at 0.
  SpacePoint shift(SpacePoint point, const SpacePoint& pattern, int step) const {
    for (std::size_t i = 0; i < point.size(); ++i)
      point[i] = std::max(point[i] + pattern[i] * step, 0) % space_.coordinates[i].values;
    return point;
  }

  /// Decrements `pattern` as a binary number. Returns false when only zeros remain.
  static bool decrement(SpacePoint& pattern) {
    for (std::size_t i = pattern.size(); i-- > 0;) {
      pattern[i] = 1 - pattern[i];
      if (pattern[i] == 0) break;
    }
    return std::ranges::find(pattern, 1) != pattern.end();
  }

  void add(SpacePoint point) {
    if (visited_.insert(point).second) queue_.push_back(std::move(point));
  }

  void speculate() {
    while (static_cast<int>(queue_.size()) < options_.width && step_ < longest_) enqueue(++step_);
  }

  const StrategySpace& space_;
  SearchSession& session_;
  const DropletOptions& options_;
  int longest_ = 1;
  int step_ = 1;
  Individual best_;
  std::vector<SpacePoint> queue_;
  Visited visited_;
  DropletPath path_;
};

}  // namespace

DropletPath droplet_tvm(const StrategySpace& space, SearchSession& session,
                        const DropletOptions& options) {
  return TvmDroplet(space, session, options).run();
}

}  // namespace tileplan
