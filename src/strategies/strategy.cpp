// SPDX-License-Identifier: Apache-2.0
// All strategies are entries of one table.
#include "strategy.h"

#include <algorithm>
#include <array>

#include "baselines.h"
#include "droplet.h"
#include "na2c.h"
#include "opevo.h"
#include "population.h"
#include "random_sample.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

void model_search(const SearchProblem& problem, SearchSession& session, std::uint64_t /*seed*/) {
  for (const std::string& schedule : problem.ranked)
    if (session.measure(schedule) == nullptr) return;
}

/// Draws until kMostTries successive draws are not new, because small problems have few schedules.
void random_search(const SearchProblem& problem, SearchSession& session, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::mt19937_64 layouts_random(seed);
  const std::vector<KernelCombo> combos =
      kernel_combos(problem.computation, problem.machine, std::numeric_limits<int>::max());
  const std::vector<Layouts> layouts =
      layouts_of(problem.computation, LayoutChoice::any, problem.machine.vector);
  for (int known = 0; known < kMostTries;) {
    Schedule drawn =
        random_schedule(problem.computation, combos, problem.machine.vector.lanes, random);
    const Layouts& choice = layouts[random_place(layouts.size(), layouts_random)];
    drawn.in = choice.in;
    drawn.out = choice.out;
    const std::string text = to_string(drawn);
    const bool is_new = !session.knows(text) && problem.space.can_run(drawn);
    known = is_new ? 0 : known + 1;
    if (is_new && session.measure(text) == nullptr) return;
  }
}

struct Entry {
  const char* name;
  bool random;
  void (*run)(const SearchProblem&, SearchSession&, std::uint64_t seed);
};

/// Starts from the schedule of the per-level model without its cache tiles.
template <auto search>
void run_untiled(const SearchProblem& problem, SearchSession& session, std::uint64_t seed) {
  search(problem.space.space(), session, problem.space.untiled(problem.space.model_choice()), seed);
}

template <auto search>
void run_seeded(const SearchProblem& problem, SearchSession& session, std::uint64_t seed) {
  search(problem.space.space(), session, seed);
}

template <auto search, auto origin>
void run_from(const SearchProblem& problem, SearchSession& session, std::uint64_t /*seed*/) {
  search(problem.space.space(), session, {.origin = (problem.space.*origin)()});
}

void grid(const SearchProblem& problem, SearchSession& session, std::uint64_t /*seed*/) {
  grid_search(problem.space.space(), session);
}

const std::array kStrategies{
    Entry{"model", false, model_search},
    Entry{"random", true, random_search},
    Entry{"grid", false, grid},
    Entry{"droplet", false, run_from<droplet_search, &ScheduleSpace::naive>},
    Entry{"droplet-model", false, run_from<droplet_search, &ScheduleSpace::model_choice>},
    Entry{"droplet-tvm", false, run_from<droplet_tvm, &ScheduleSpace::naive>},
    Entry{"opevo", true, run_seeded<opevo_search>},
    Entry{"gbfs", true, run_untiled<gbfs_search>},
    Entry{"na2c", true, run_untiled<na2c_search>},
    Entry{"genetic", true, run_seeded<genetic_search>},
    Entry{"annealing", true, run_seeded<annealing_search>}};

const Entry& entry_of(const std::string& strategy) {
  const auto* const found = std::ranges::find(kStrategies, strategy, &Entry::name);
  if (found != kStrategies.end()) return *found;
  std::string names;
  for (const std::string& name : strategy_names()) names += (names.empty() ? "" : ", ") + name;
  throw Error("strategy: '" + strategy + "'; must be one of " + names);
}

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kStrategies) names.emplace_back(entry.name);
  return names;
}

bool is_random(const std::string& strategy) { return entry_of(strategy).random; }

void run_strategy(const std::string& strategy, const SearchProblem& problem, SearchSession& session,
                  std::uint64_t seed) {
  entry_of(strategy).run(problem, session, seed);
}

}  // namespace tileplan
