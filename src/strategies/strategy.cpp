// SPDX-License-Identifier: Apache-2.0
// All strategies are entries of one table.
#include "strategy.h"

#include <algorithm>
#include <array>

#include "baselines.h"
#include "boosted_trees.h"
#include "droplet.h"
#include "evolve.h"
#include "gbt.h"
#include "na2c.h"
#include "opevo.h"
#include "paper_selections.h"
#include "population.h"
#include "random_sample.h"
#include "template_space.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {

namespace {

void model_search(const SearchProblem& problem, SearchSession& session, std::uint64_t /*seed*/) {
  for (const std::string& schedule : problem.ranked)
    if (session.measure(schedule) == nullptr) return;
}

/// Selects the microkernels of random schedules, for an ablation study as in "Autotuning
/// Convolutions is Easier Than You Think": all, those without a list of blocks (lambda), or the
/// fastest one of the latter.
enum class KernelChoice { all, single, fastest };

std::vector<KernelCombo> chosen_kernels(const SearchProblem& problem, KernelChoice choice) {
  std::vector<KernelCombo> combos =
      kernel_combos(problem.computation, problem.machine, std::numeric_limits<int>::max());
  if (choice == KernelChoice::all) return combos;
  std::erase_if(combos, [](const KernelCombo& one) { return one.lambda.has_value(); });
  if (choice == KernelChoice::fastest && !combos.empty())
    combos = {*std::ranges::min_element(combos, {}, &KernelCombo::compute_seconds)};
  return combos;
}

/// Measures random schedules. Ends after kMostTries draws in a row that are not new or cannot run,
/// because small problems have few schedules.
template <KernelChoice choice>
void random_search(const SearchProblem& problem, SearchSession& session, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::mt19937_64 layouts_random(seed);
  const std::vector<KernelCombo> combos = chosen_kernels(problem, choice);
  if (combos.empty()) return;
  const std::vector<Layouts> layouts =
      layouts_of(problem.computation, LayoutChoice::any, problem.machine.vector);
  for (int known = 0; known < kMostTries;) {
    Schedule drawn =
        random_schedule(problem.computation, combos, problem.machine.vector.lanes, random);
    const Layouts& layout = layouts[random_place(layouts.size(), layouts_random)];
    drawn.in = layout.in;
    drawn.out = layout.out;
    const std::string text = to_string(drawn);
    const bool is_new = !session.knows(text) && problem.space.can_run(drawn);
    known = is_new ? 0 : known + 1;
    if (is_new && session.measure(text) == nullptr) return;
  }
}

using RunStrategy = void (*)(const SearchProblem&, SearchSession&, std::uint64_t seed);

struct Entry {
  const char* name;
  bool random;
  RunStrategy run;
  bool learns = false;  ///< If true, the strategy needs boosted trees.
};

/// Starts the search from the schedule that the per-level model selects, without its cache tiles.
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

void grid(const StrategySpace& space, SearchSession& session, std::uint64_t /*seed*/) {
  grid_search(space, session);
}

/// Starts where all coordinates have their first values, as AutoTVM does. Does nothing if this
/// point is invalid.
template <auto search>
void from_first(const StrategySpace& space, SearchSession& session, std::uint64_t /*seed*/) {
  const SpacePoint first(space.coordinates.size(), 0);
  if (is_valid(space, first)) search(space, session, {.origin = first});
}

/// Searches the space of AutoTVM's template. Does nothing if the template has no schedule for the
/// problem.
template <auto search>
void in_template(const SearchProblem& problem, SearchSession& session, std::uint64_t seed) {
  const auto space =
      template_space(problem.computation.problem, problem.machine.vector,
                     [&](const Schedule& schedule) { return problem.space.can_run(schedule); });
  if (space) search(*space, session, seed);
}

void mopt(const SearchProblem& problem, SearchSession& session, std::uint64_t /*seed*/) {
  mopt_search(problem, session);
}

template <TtileOrder order>
void ttile(const SearchProblem& problem, SearchSession& session, std::uint64_t /*seed*/) {
  ttile_search(problem, session, order);
}

const std::array kStrategies{
    Entry{"model", false, model_search},
    Entry{"random", true, random_search<KernelChoice::all>},
    Entry{"random-single", true, random_search<KernelChoice::single>},
    Entry{"random-fastest", true, random_search<KernelChoice::fastest>},
    Entry{"grid", false, run_seeded<grid>},
    Entry{"droplet", false, run_from<droplet_search, &ScheduleSpace::naive>},
    Entry{"droplet-model", false, run_from<droplet_search, &ScheduleSpace::model_choice>},
    Entry{"droplet-tvm", false, run_from<droplet_tvm, &ScheduleSpace::naive>},
    Entry{"opevo", true, run_seeded<opevo_search>},
    Entry{"gbfs", true, run_untiled<gbfs_search>},
    Entry{"na2c", true, run_untiled<na2c_search>},
    Entry{"genetic", true, run_seeded<genetic_search>},
    Entry{"annealing", true, run_seeded<annealing_search>},
    Entry{"gbt", true, run_seeded<gbt_search>, true},
    Entry{"evolve", true, run_seeded<evolve_search>, true},
    Entry{"mopt", false, mopt},
    Entry{"ttile", false, ttile<TtileOrder::metric>},
    Entry{"ttile-model", false, ttile<TtileOrder::model>},
    Entry{"template-grid", false, in_template<grid>},
    Entry{"template-random", true, in_template<uniform_search>},
    Entry{"template-droplet", false, in_template<from_first<droplet_search>>},
    Entry{"template-droplet-tvm", false, in_template<from_first<droplet_tvm>>},
    Entry{"template-genetic", true, in_template<genetic_search>},
    Entry{"template-gbt", true, in_template<gbt_search>, true}};

const Entry& entry_of(const std::string& strategy) {
  const auto* const found = std::ranges::find(kStrategies, strategy, &Entry::name);
  if (found != kStrategies.end()) return *found;
  throw Error("strategy: '" + strategy + "'; must be one of " + comma_separated(strategy_names()));
}

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  names.reserve(kStrategies.size());
  for (const Entry& entry : kStrategies) names.emplace_back(entry.name);
  return names;
}

bool is_random(const std::string& strategy) { return entry_of(strategy).random; }

std::string why_not(const std::string& strategy) {
  return entry_of(strategy).learns ? why_no_trees() : "";
}

void run_strategy(const std::string& strategy, const SearchProblem& problem, SearchSession& session,
                  std::uint64_t seed) {
  entry_of(strategy).run(problem, session, seed);
}

}  // namespace tileplan
