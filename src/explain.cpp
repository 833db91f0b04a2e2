// SPDX-License-Identifier: Apache-2.0
// What each level holds and moves, from the models that `predict` uses.
#include "explain.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "branches.h"
#include "capacity.h"
#include "cores.h"
#include "cost.h"
#include "flat.h"
#include "footprint.h"
#include "loop_nest.h"
#include "merged.h"
#include "nest.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {
namespace {

/// Where the box of a level stands: inside loop `position` of `branch`, which is `nest` with the
/// lambdas around the box replaced by one of their parts.
struct Cut {
  const Nest& nest;
  Nest branch;
  std::size_t position = 0;

  bool is_lambda(std::size_t at) const {
    return at < nest.loops.size() && nest.loops[at].is_lambda();
  }
  /// The next active loop outside `at`.
  std::optional<std::size_t> outside(std::size_t at) const {
    while (at-- > 0)
      if (is_lambda(at) || branch.loops[at].trips > 1) return at;
    return std::nullopt;
  }
  Tile box(std::size_t at) const {
    Tile result = box_inside(branch, at);
    if (is_lambda(at)) result[nest.loops[at].dim] = covered(nest.loops[at].parts);
    return result;
  }
};

std::optional<std::size_t> outermost_with(const Nest& nest, const Tile& box) {
  for (std::size_t i = 0; i <= nest.loops.size(); ++i)
    if (box_inside(nest, i) == box) return i;
  return std::nullopt;
}

/// The place whose box is `box`: above all lambdas, else in the first branch that has it.
Cut cut_of(const Nest& nest, const Tile& box) {
  if (const auto position = outermost_with(nest, box)) return {nest, nest, *position};
  for (const Branch& branch : branches_of(nest))
    if (const auto position = outermost_with(branch.nest, box))
      return {nest, branch.nest, *position};
  return {nest, nest, nest.loops.size()};
}

/// Eq. (C). A single block of a lambda counts as if a second one followed.
std::int64_t required_at(const Computation& computation, const Cut& cut, std::size_t position,
                         CapacityRule rule) {
  const std::optional<std::size_t> next = cut.outside(position);
  const std::optional<Dim> dim = next ? std::optional(cut.nest.loops[*next].dim) : std::nullopt;
  return required(computation, cut.box(position), dim, rule);
}

std::string elements_text(std::int64_t count) { return std::to_string(count) + " elements"; }

/// What `level` says about its own limit. `loops` are those of the schedule: its first specifiers.
void explain_limit(const Computation& computation, const Cut& cut,
                   const std::vector<Specifier>& loops, CapacityRule by, LevelExplanation& level) {
  level.required = required_at(computation, cut, cut.position, by);
  level.holds_cut = level.required <= level.capacity;
  const std::string rule = "; " + std::to_string(level.capacity) + " are usable";
  const std::optional<std::size_t> outside = cut.outside(cut.position);
  if (!level.holds_cut)
    level.limit = "the register tile needs " + elements_text(level.required) + rule;
  else if (outside)
    level.limit = "with " + to_string(loops[*outside]) + " it needs " +
                  elements_text(required_at(computation, cut, *outside, by)) + rule;
}

double distance(const Computation& computation, const LevelExplanation& level) {
  const auto outputs =
      static_cast<double>(footprint(computation.tensors.back(), extents_of(computation)));
  return static_cast<double>(weighted(computation, level.volumes)) / (level.bound.bound + outputs);
}

/// Elements of the arrays as they lie in memory, weights packed.
std::int64_t stored_elements(const Computation& computation, const Schedule& schedule,
                             const Nest& nest) {
  return layout_of(computation, Operand::input, schedule.in).elements +
         footprint(computation.tensors[1], box_inside(nest, 0)) +
         layout_of(computation, Operand::output, schedule.out).elements;
}

LevelExplanation explain_level(const Computation& computation, const Schedule& schedule,
                               const Nest& nest, const CacheLevel& cache, Capacity held) {
  LevelExplanation level;
  const std::int64_t element_bytes = computation.element_bytes();
  const CapacityRule rule = rule_for(held, cache, element_bytes);
  level.capacity = static_cast<std::int64_t>(usable_elements(cache, element_bytes));
  level.holds_problem = static_cast<double>(stored_elements(computation, schedule, nest)) <=
                        usable_elements(cache, element_bytes);
  const FlatTraffic traffic = flat_traffic(computation, nest, level.capacity, rule);
  level.cut = traffic.cut;
  level.volumes = traffic.volumes;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    level.footprints.values[t] = footprint(tensor, level.cut);
    level.moved_bytes.values[t] = element_bytes * tensor.transfers * level.volumes.values[t];
  }
  explain_limit(computation, cut_of(nest, level.cut), schedule.loops, rule, level);
  level.bound = lower_bound(computation, std::max(1.0, static_cast<double>(level.capacity)));
  level.distance = distance(computation, level);
  return level;
}

/// What `compile` says against the schedule, if anything beyond the registers.
void add_refusal(Explanation& explanation, const Nest& nest) {
  for (const BranchCompute& one : explanation.compute)
    if (!fits_registers(one.tile, explanation.machine.vector)) return;
  try {
    build_tree(explanation.computation, nest,
               tree_spec(explanation.computation, explanation.candidate.schedule, nest,
                         explanation.machine.vector.isa));
  } catch (const Error& refusal) {
    explanation.rejected.emplace_back(refusal.what());
  }
}

/// What a level or the registers cannot hold.
void add_reasons(Explanation& explanation) {
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    if (!explanation.levels[i].holds_cut)
      explanation.rejected.push_back(explanation.machine.caches[i].name + ": " +
                                     explanation.levels[i].limit);
  const VectorUnit& unit = explanation.machine.vector;
  for (const BranchCompute& one : explanation.compute)
    if (!fits_registers(one.tile, unit))
      explanation.rejected.push_back("registers: " + std::to_string(one.tile.pixels) + " x " +
                                     std::to_string(one.tile.vectors) + " vectors need " +
                                     std::to_string(generated_step(one.tile, unit).registers) +
                                     "; " + std::to_string(unit.registers) + " exist");
}

}  // namespace

Explanation explain(const Problem& problem, const Machine& given, const Schedule& schedule,
                    Capacity capacity) {
  Explanation result;
  result.computation = computation_of(problem, schedule);
  result.machine = seen_by(schedule, machine_for(given, type_of(problem)));
  const Machine& machine = result.machine;
  const Computation& computation = result.computation;
  result.candidate.schedule = schedule;
  result.candidate.prediction = predict(computation, schedule, machine, capacity);
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  result.repack =
      repack(computation, schedule, nest, machine, cores_of(computation, nest, machine.cores).used);
  for (const CacheLevel& cache : machine.caches)
    result.levels.push_back(explain_level(computation, schedule, nest, cache, capacity));
  double operations = 2;
  for (const std::int64_t extent : computation.extents) operations *= static_cast<double>(extent);
  result.peak_seconds = operations / (std::max(1, machine.cores) * peak_flops(machine));
  result.compute = compute_of(computation, nest, read_layout(computation, schedule, nest), machine);
  add_reasons(result);
  add_refusal(result, nest);
  return result;
}

}  // namespace tileplan
