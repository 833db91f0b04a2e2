// SPDX-License-Identifier: Apache-2.0
// Microkernels, layouts and Winograd choices are drawn from lists made by the functions that the
// search uses.
#include "random_schedules.h"

#include <limits>

#include "merge_dims.h"
#include "random_sample.h"
#include "search_space.h"
#include "strips.h"
#include "tileplan/error.h"
#include "winograd_algorithms.h"
#include "winograd_products.h"
#include "winograd_rules.h"
#include "winograd_search.h"

namespace tileplan {

RandomSchedules::RandomSchedules(const Problem& problem, const Machine& machine,
                                 const Options& options)
    : problem_(problem),
      machine_(machine),
      options_(options),
      loops_(in_strips(merge_adjacent_dims(computation_of(problem)),
                       loop_types(types_of(problem), machine.vector))),
      // With this limit, kernel_combos() leaves out no microkernel that it considers fast.
      combos_(kernel_combos(loops_, machine_, std::numeric_limits<int>::max())),
      layouts_(layouts_of(loops_, options.layout, machine.vector)) {
  machine_.cores = options.threads;
  if (options.algorithm != Algorithm::direct) add_winograd_spaces();
}

void RandomSchedules::add_winograd_spaces() {
  std::string why_not = why_no_winograd(problem_);
  if (why_not.empty()) {
    const auto& shape = std::get<ConvShape>(problem_);
    for (const WinogradAlgorithm& each : winograd_algorithms(shape, machine_, options_)) {
      const WinogradProblem found = winograd_problem(problem_, each.tiles, machine_);
      spaces_.push_back(
          {found, winograd_choices(found, machine_, std::numeric_limits<double>::infinity())});
    }
    if (spaces_.empty()) why_not = why_error_too_large(problem_, options_);
  }
  if (options_.algorithm == Algorithm::winograd && !why_not.empty())
    throw Error("algorithm: winograd, but " + why_not);
}

bool RandomSchedules::draws_winograd(std::mt19937& random) const {
  if (spaces_.empty()) return false;
  return options_.algorithm == Algorithm::winograd || random_place(2, random) == 0;
}

Schedule RandomSchedules::draw_winograd(std::mt19937& random) const {
  const WinogradSpace& space = spaces_[random_place(spaces_.size(), random)];
  return schedule_of(space.problem, space.choices[random_place(space.choices.size(), random)],
                     machine_.vector.lanes, machine_.cores);
}

Candidate RandomSchedules::draw(std::mt19937& random) const {
  Candidate drawn;
  drawn.schedule = draws_winograd(random)
                       ? draw_winograd(random)
                       : random_schedule(loops_, combos_, machine_.vector.lanes, random);
  const Layouts& layouts = layouts_[random_place(layouts_.size(), random)];
  drawn.schedule.in = layouts.in;
  drawn.schedule.out = layouts.out;
  drawn.prediction = predict_schedule(problem_, drawn.schedule, machine_, rules_of(options_));
  return drawn;
}

}  // namespace tileplan
