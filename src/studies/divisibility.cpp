// SPDX-License-Identifier: Apache-2.0
// The model's best of each kind come first, draws fill the time that is left.
#include "divisibility.h"

#include "even_vs_uneven.h"
#include "tileplan/plan.h"

namespace tileplan {

namespace {

constexpr std::size_t kModelTop = 10;  // schedules of each kind that the model ranks first
constexpr int kRanked = 1000;          // more than plans have: all that were scored

std::vector<SearchTask> tasks_of(const Problem& problem, const Machine& machine,
                                 const SearchStudyOptions& options) {
  const SearchBudget budget{.measurements = options.measurements,
                            .seconds = options.budget_seconds};
  SearchTask even{.strategy = kFixed, .budget = budget}, uneven = even;
  for (const Candidate& one : plan(problem, machine, {.top = kRanked}).candidates) {
    std::vector<std::string>& kind = (is_uneven(one.schedule) ? uneven : even).schedules;
    if (kind.size() < kModelTop) kind.push_back(to_string(one.schedule));
  }
  const SearchTask random{.strategy = "random", .seed = options.seed, .budget = budget, .round = 1};
  return {even, uneven, random};
}

}  // namespace

void study_divisibility(const Machine& machine, const SearchStudyOptions& options,
                        const std::function<void(const std::string&)>& say) {
  study_kinds({.name = "divisibility",
               .kinds = {.even = "divisors", .uneven = "uneven tiles"},
               .question = "the model's first ten schedules of both kinds, then random draws; "
                           "uneven: an L at the registers or a cache",
               .tasks = tasks_of},
              machine, options, say);
}

}  // namespace tileplan
