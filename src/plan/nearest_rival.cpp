// SPDX-License-Identifier: Apache-2.0
// This file searches the direct candidates that planning found for the best one with another order
// class.
#include <algorithm>
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

/// Returns the rivals of `planned` for the instruction set of the explained schedule and for its
/// arithmetic, best prediction first. Other arithmetic multiplies other strips.
std::vector<Candidate> candidates_beside(const Explanation& explanation,
                                         const PlanWithRivals& planned) {
  std::vector<Candidate> found = planned.rivals;
  std::erase_if(found, [&](const Candidate& each) {
    return each.schedule.widen != explanation.candidate.schedule.widen ||
           unit_of(each.schedule, planned.plan.machine).isa != explanation.machine.vector.isa;
  });
  std::ranges::stable_sort(found, {},
                           [](const Candidate& each) { return each.prediction.seconds; });
  return found;
}

}  // namespace

std::optional<Rival> nearest_rival(const Explanation& explanation, const Machine& machine,
                                   const Options& options) {
  if (explanation.order.classes.empty()) return std::nullopt;
  Options direct = options;
  direct.algorithm = Algorithm::direct;
  direct.verify = 0;
  if (explanation.candidate.schedule.takes_plain_weights()) direct.weights = WeightsChoice::plain;
  try {
    return nearest_rival(explanation, plan_with_rivals(explanation.problem, machine, direct));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Rival> nearest_rival(const Explanation& explanation, const PlanWithRivals& planned) {
  if (explanation.order.classes.empty()) return std::nullopt;
  const std::vector<Candidate> candidates = candidates_beside(explanation, planned);
  if (candidates.empty()) return std::nullopt;
  const Machine& own = explanation.machine;
  const Computation computation =
      loop_computation(explanation.problem, candidates.front().schedule, own.vector);
  const OrderClasses classes = order_classes(computation);
  for (const Candidate& each : candidates) {
    const std::string name =
        order_class(computation, each.schedule, own, classes,
                    cached_tiles(computation, each.schedule, own, rules_of(planned.plan.options)));
    if (name != explanation.order.classes) return Rival{.candidate = each, .classes = name};
  }
  return std::nullopt;
}

}  // namespace tileplan
