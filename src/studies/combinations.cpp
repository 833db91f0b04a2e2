// SPDX-License-Identifier: Apache-2.0
// The same draws for both kinds.
#include "combinations.h"

#include "even_vs_uneven.h"

namespace tileplan {

namespace {

std::vector<SearchTask> random_draws(const Problem& /*problem*/, const Machine& /*machine*/,
                                     const SearchStudyOptions& options) {
  return {{.strategy = "random",
           .seed = options.seed,
           .budget = {.measurements = options.measurements, .seconds = options.budget_seconds}}};
}

}  // namespace

void study_combinations(const Machine& machine, const SearchStudyOptions& options,
                        const std::function<void(const std::string&)>& say) {
  study_kinds({.name = "combinations",
               .kinds = {.even = "one kernel", .uneven = "combinations"},
               .question = "schedules drawn at random, with one microkernel or two that cover a "
                           "dimension together",
               .tasks = random_draws},
              machine, options, say);
}

}  // namespace tileplan
