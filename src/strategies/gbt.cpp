// SPDX-License-Identifier: Apache-2.0
// In each proposal, the walkers of simulated annealing begin where they ended in the proposal
// before, as in AutoTVM.
#include "gbt.h"

#include <algorithm>
#include <cmath>

#include "speed_model.h"

namespace tileplan {

namespace {

constexpr std::size_t kWalkers = 128;
constexpr int kSteps = 500, kPatience = 50;
constexpr double kFirstTemperature = 1;

class Annealing {
 public:
  std::vector<SpacePoint> propose(RandomSearch& search, const SpeedModel& model) {
    while (walkers_.size() < kWalkers) walkers_.push_back(drawn(search));
    std::vector<float> scores = model.scores(walkers_);
    BestPoints best(kProposed);
    for (std::size_t i = 0; i < kWalkers; ++i) best.add(scores[i], walkers_[i]);
    for (int step = 0, last = 0; step < kSteps && step < last + kPatience; ++step) {
      const double temperature = kFirstTemperature * (1 - static_cast<double>(step) / kSteps);
      if (advance(search, model, temperature, scores, best)) last = step;
    }
    return best.sorted();
  }

 private:
  /// Draws points until chains_hold() is true. The other rules of valid points are checked only
  /// when a point is about to be measured.
  static SpacePoint drawn(RandomSearch& search) {
    SpacePoint point(search.space.coordinates.size(), 0);
    do {
      for (const Parameter& parameter : search.all)
        redraw(search.space, parameter, point, search.random);
    } while (!chains_hold(search.space, point));
    return point;
  }

  static SpacePoint changed(RandomSearch& search, const SpacePoint& from) {
    SpacePoint point = from;
    redraw(search.space, search.all[random_place(search.all.size(), search.random)], point,
           search.random);
    return chains_hold(search.space, point) ? point : from;
  }

  /// Moves each walker to its new point if that point has a higher score, and otherwise with
  /// probability exp(difference of scores / temperature). Returns true when `best` changes.
  bool advance(RandomSearch& search, const SpeedModel& model, double temperature,
               std::vector<float>& scores, BestPoints& best) {
    std::vector<SpacePoint> next;
    for (const SpacePoint& walker : walkers_) next.push_back(changed(search, walker));
    const std::vector<float> reached = model.scores(next);
    bool found = false;
    std::uniform_real_distribution<double> draw(0, 1);
    for (std::size_t i = 0; i < kWalkers; ++i) {
      found = best.add(reached[i], next[i]) || found;
      if (draw(search.random) >= std::exp((reached[i] - scores[i]) / temperature)) continue;
      walkers_[i] = next[i];
      scores[i] = reached[i];
    }
    return found;
  }

  std::vector<SpacePoint> walkers_;
};

}  // namespace

void gbt_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed) {
  Annealing annealing;
  learned_search(space, session, seed,
                 [&](RandomSearch& search, const SpeedModel& model,
                     const std::vector<Individual>& /*measured*/) {
                   return annealing.propose(search, model);
                 });
}

}  // namespace tileplan
