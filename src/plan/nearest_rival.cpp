// SPDX-License-Identifier: Apache-2.0
// This file searches all candidates of a plan for the best one with another order class.
#include <algorithm>
#include <limits>
#include <optional>

#include "option_rules.h"
#include "order_class.h"
#include "strips.h"
#include "tileplan/error.h"
#include "tileplan/explain.h"
#include "tileplan/plan.h"
#include "units.h"

namespace tileplan {
namespace {

/// Returns all candidates whose loops have the vectors of `explanation`, best prediction first, or
/// none if no plan exists.
std::vector<Candidate> candidates_beside(const Explanation& explanation, const Machine& machine,
                                         Options options) {
  options.algorithm = Algorithm::direct;
  options.top = std::numeric_limits<int>::max();
  options.verify = 0;
  if (explanation.candidate.schedule.takes_plain_weights()) options.weights = WeightsChoice::plain;
  try {
    Plan found = plan(explanation.problem, machine, options);
    std::erase_if(found.candidates, [&](const Candidate& each) {
      return unit_of(each.schedule, found.machine).isa != explanation.machine.vector.isa;
    });
    std::ranges::stable_sort(found.candidates, {},
                             [](const Candidate& each) { return each.prediction.seconds; });
    return std::move(found.candidates);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::optional<Rival> nearest_rival(const Explanation& explanation, const Machine& machine,
                                   const Options& options) {
  if (explanation.order.classes.empty()) return std::nullopt;
  const std::vector<Candidate> candidates = candidates_beside(explanation, machine, options);
  if (candidates.empty()) return std::nullopt;
  const Machine& own = explanation.machine;
  const Computation computation =
      loop_computation(explanation.problem, candidates.front().schedule, own.vector);
  const OrderClasses classes = order_classes(computation);
  for (const Candidate& each : candidates) {
    const std::string name =
        order_class(computation, each.schedule, own, classes,
                    cached_tiles(computation, each.schedule, own, rules_of(options)));
    if (name != explanation.order.classes) return Rival{.candidate = each, .classes = name};
  }
  return std::nullopt;
}

}  // namespace tileplan
