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
#include "leaf.h"
#include "loop_nest.h"
#include "merged.h"
#include "nest.h"
#include "reduction.h"
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
std::int64_t required_at(const Computation& computation, const Cut& cut, std::size_t position) {
  const std::optional<std::size_t> next = cut.outside(position);
  const std::optional<Dim> dim = next ? std::optional(cut.nest.loops[*next].dim) : std::nullopt;
  return required(computation, cut.box(position), dim, CapacityRule::lru2);
}

std::string elements_text(std::int64_t count) { return std::to_string(count) + " elements"; }

/// What `level` says about its own limit. `loops` are those of the schedule: its first specifiers.
void explain_limit(const Computation& computation, const Cut& cut,
                   const std::vector<Specifier>& loops, LevelExplanation& level) {
  level.required = required_at(computation, cut, cut.position);
  level.holds_cut = level.required <= level.capacity;
  const std::string rule = "; " + std::to_string(level.capacity) + " are usable";
  const std::optional<std::size_t> outside = cut.outside(cut.position);
  if (!level.holds_cut)
    level.limit = "the register tile needs " + elements_text(level.required) + rule;
  else if (outside)
    level.limit = "with " + to_string(loops[*outside]) + " it needs " +
                  elements_text(required_at(computation, cut, *outside)) + rule;
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
                               const Nest& nest, const CacheLevel& cache) {
  LevelExplanation level;
  const std::int64_t element_bytes = computation.element_bytes();
  const double usable = cache.usable * static_cast<double>(cache.capacity_bytes);
  level.capacity = static_cast<std::int64_t>(usable / static_cast<double>(element_bytes));
  level.holds_problem = static_cast<double>(stored_elements(computation, schedule, nest)) *
                            static_cast<double>(element_bytes) <=
                        usable;
  const FlatTraffic traffic = flat_traffic(computation, nest, level.capacity, CapacityRule::lru2);
  level.cut = traffic.cut;
  level.volumes = traffic.volumes;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    level.footprints.values[t] = footprint(tensor, level.cut);
    level.moved_bytes.values[t] = element_bytes * tensor.transfers * level.volumes.values[t];
  }
  explain_limit(computation, cut_of(nest, level.cut), schedule.loops, level);
  level.bound = lower_bound(computation, std::max(1.0, static_cast<double>(level.capacity)));
  level.distance = distance(computation, level);
  return level;
}

CallExplanation explain_branch(const Computation& computation, const Branch& branch,
                               const Machine& machine) {
  const RegisterTile tile = register_tile(computation, branch.nest, machine.vector.lanes);
  const Calls calls = calls_of(computation, branch);
  const KernelRate rate = kernel_rate(tile, machine);
  const double read = array_share(computation, branch.nest.vectorised);
  return {
      .tile = tile,
      .calls = calls.calls,
      .steps = calls.steps,
      .cycles = calls.calls * (rate.cycles_per_call + read * calls.steps * rate.cycles_per_step) +
                calls.resumed * rate.cycles_per_resume,
      .rate = rate};
}

/// What `compile` refuses of the marks and layouts.
void add_refusals(Explanation& explanation, const Nest& nest) {
  const Computation& computation = explanation.computation;
  const Schedule& schedule = explanation.candidate.schedule;
  const int lanes = explanation.machine.vector.lanes;
  for (const Operand operand : {Operand::input, Operand::output}) {
    if (operand == Operand::input && schedule.pack_input) continue;
    const Layout layout = layout_in_loops(computation, schedule, nest, operand);
    const TensorAccess& tensor = computation.tensors[static_cast<std::size_t>(operand)];
    if (!holds_vectors(tensor, layout_of(computation, operand, layout), nest.vectorised, lanes))
      explanation.rejected.push_back("layout: vectors of " + std::to_string(lanes) + " along " +
                                     computation.name(nest.vectorised) +
                                     " are not contiguous in the " + to_string(layout) + " " +
                                     tensor.name + "; must be");
  }
  if (schedule.prefetch > kFarthestPrefetch)
    explanation.rejected.push_back("prefetch: " + std::to_string(schedule.prefetch) +
                                   " steps; at most " + std::to_string(kFarthestPrefetch) +
                                   " are assembled");
}

void add_reasons(Explanation& explanation) {
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    if (!explanation.levels[i].holds_cut)
      explanation.rejected.push_back(explanation.machine.caches[i].name + ": " +
                                     explanation.levels[i].limit);
  const VectorUnit& unit = explanation.machine.vector;
  for (const CallExplanation& one : explanation.calls)
    if (!fits_registers(one.tile, unit))
      explanation.rejected.push_back("registers: " + std::to_string(one.tile.pixels) + " x " +
                                     std::to_string(one.tile.vectors) + " vectors need " +
                                     std::to_string(generated_step(one.tile, unit).registers) +
                                     "; " + std::to_string(unit.registers) + " exist");
}

}  // namespace

Explanation explain(const Problem& problem, const Machine& given, const Schedule& schedule) {
  Explanation result;
  result.computation = computation_of(problem, schedule);
  result.machine = seen_by(schedule, machine_for(given, type_of(problem)));
  const Machine& machine = result.machine;
  const Computation& computation = result.computation;
  result.candidate.schedule = schedule;
  result.candidate.prediction = predict(computation, schedule, machine);
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  result.repack =
      repack(computation, schedule, nest, machine, cores_of(computation, nest, machine.cores).used);
  for (const CacheLevel& cache : machine.caches)
    result.levels.push_back(explain_level(computation, schedule, nest, cache));
  double operations = 2;
  for (const std::int64_t extent : computation.extents) operations *= static_cast<double>(extent);
  result.peak_seconds = operations / (std::max(1, machine.cores) * peak_flops(machine));
  for (const Branch& branch : branches_of(nest))
    result.calls.push_back(explain_branch(computation, branch, machine));
  add_reasons(result);
  add_refusals(result, nest);
  return result;
}

}  // namespace tileplan
