// SPDX-License-Identifier: Apache-2.0
// A climb also accepts changed schedules with an equal prediction, because a faster one may follow
// from them.
#include "attack.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "opponent.h"
#include "random_nest.h"

namespace tileplan::test {
namespace {

struct Found {
  Schedule schedule = {};
  double seconds = std::numeric_limits<double>::infinity();
};

Found best_draw(Random& random, Opponent& opponent, int draws) {
  // At most this many schedules are drawn for each one that is needed, because many of them cannot
  // run.
  constexpr int kTries = 5;
  Found best;
  for (int i = 0, legal = 0; i < kTries * draws && legal < draws; ++i) {
    const Schedule schedule = opponent.draw(random);
    const std::optional<double> seconds = opponent.seconds(schedule);
    if (!seconds) continue;
    ++legal;
    if (*seconds < best.seconds) best = {schedule, *seconds};
  }
  return best;
}

Found climb(Random& random, Opponent& opponent, Found best, int changes) {
  for (int i = 0; i < changes; ++i) {
    Schedule changed = opponent.change(random, best.schedule);
    while (one_in(random, 3)) changed = opponent.change(random, changed);
    const std::optional<double> seconds = opponent.seconds(changed);
    if (seconds && *seconds <= best.seconds) best = {changed, *seconds};
  }
  return best;
}

}  // namespace

Attack attack(Random& random, const Target& target, const Effort& effort) {
  // The attack starts climbs from at most this many of the plan's candidates.
  constexpr std::size_t kClimbed = 2;
  const Plan made = plan(target.problem, target.machine, target.options);
  const Candidate& fastest = *std::ranges::min_element(
      made.candidates, {}, [](const Candidate& each) { return each.prediction.seconds; });
  Opponent opponent(target);
  std::vector<Found> starts{best_draw(random, opponent, effort.draws)};
  for (const Candidate& each : made.candidates)
    if (starts.size() <= kClimbed) starts.push_back({each.schedule, each.prediction.seconds});
  Found best;
  for (const Found& start : starts) {
    if (start.schedule.loops.empty()) continue;
    const Found found = climb(random, opponent, start, effort.changes);
    if (found.seconds < best.seconds) best = found;
  }
  return {.bound = made.certificate.bound,
          .optimum = made.certificate.optimum,
          .least = best.seconds,
          .planned = to_string(fastest.schedule),
          .schedule = to_string(best.schedule),
          .predicted = opponent.predicted()};
}

}  // namespace tileplan::test
