// SPDX-License-Identifier: Apache-2.0
// This file reports what each level holds and loads, from the models that `predict` uses.
#include "explain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "branches.h"
#include "capacity.h"
#include "cores.h"
#include "cost.h"
#include "flat.h"
#include "footprint.h"
#include "loop_tree.h"
#include "merge_dims.h"
#include "nest.h"
#include "repack.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {
namespace {

/// Says that the box of a level is inside loop `position` of `branch`, which is `nest` with the
/// lambdas around the box replaced by one of their parts.
struct BoxPosition {
  const Nest& nest;
  Nest branch;
  std::size_t position = 0;

  bool is_lambda(std::size_t at) const {
    return at < nest.loops.size() && nest.loops[at].is_lambda();
  }
  /// Returns the next active loop outside `at`.
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

/// Returns the position whose box is `box`, above all lambdas or in the first branch that has it.
BoxPosition position_of(const Nest& nest, const Tile& box) {
  if (const auto position = loops_outside_equal(nest, box)) return {nest, nest, *position};
  for (const Branch& branch : branches_of(nest))
    if (const auto position = loops_outside_equal(branch.nest, box))
      return {nest, branch.nest, *position};
  return {nest, nest, nest.loops.size()};
}

struct CapacityCount {
  CapacityRule rule;
  Storage storage;
};

struct Need {
  std::int64_t elements = 0;
  bool of_lines = false;     ///< Whole cache lines need more than the elements.
  std::int64_t crowded = 0;  ///< The fullest set has so many cache lines, or 0 when they fit.
};

/// Evaluates eq. (C). A single block of a lambda counts as if a second one followed. Cache lines
/// are not counted when elements alone do not fit.
Need need_at(const Computation& computation, const BoxPosition& cut, std::size_t position,
             const CapacityCount& by, std::int64_t capacity) {
  const std::optional<std::size_t> next = cut.outside(position);
  const std::optional<Dim> dim = next ? std::optional(cut.nest.loops[*next].dim) : std::nullopt;
  const Tile box = cut.box(position);
  Need need{.elements = required(computation, box, dim, by.rule)};
  if (need.elements > capacity) return need;
  const std::int64_t lines = whole_lines(computation, box, by.storage);
  need.of_lines = lines > need.elements;
  need.elements = std::max(need.elements, lines);
  if (lines <= capacity) need.crowded = crowded_ways(computation, box, by.storage);
  return need;
}

/// Says in words why a cache of `capacity` elements with such sets does not suffice.
std::string limit_text(const Need& need, const Storage& storage, std::int64_t capacity) {
  if (need.crowded > 0)
    return std::to_string(need.crowded) + " lines of the input in one set; " +
           std::to_string(storage.ways) + " ways are there";
  return std::to_string(need.elements) +
         (need.of_lines ? " elements in whole lines" : " elements") + "; " +
         std::to_string(capacity) + " are usable";
}

/// Explains the limit of `level`. `loops` are the first specifiers of the schedule.
void explain_limit(const Computation& computation, const BoxPosition& cut,
                   const std::vector<Specifier>& loops, const CapacityCount& by,
                   LevelExplanation& level) {
  const Need need = need_at(computation, cut, cut.position, by, level.capacity);
  level.required = need.elements;
  level.holds_cut = level.holds_problem || level.required <= level.capacity;
  if (level.holds_problem) return;
  const std::optional<std::size_t> outside = cut.outside(cut.position);
  if (!level.holds_cut || need.crowded > 0)
    level.limit = "the register tile needs " + limit_text(need, by.storage, level.capacity);
  else if (outside)
    level.limit = "with " + to_string(loops[*outside]) + " it needs " +
                  limit_text(need_at(computation, cut, *outside, by, level.capacity), by.storage,
                             level.capacity);
}

struct ExplainedSchedule {
  const Computation& computation;
  const Schedule& schedule;
  const Machine& machine;
  Capacity held;
  Nest nest;
  Cores cores;
  TensorLayout read, output;  ///< The loops read and write these layouts.
};

bool is_last(const ExplainedSchedule& explained, const CacheLevel& cache) {
  return &cache == &explained.machine.caches.back();
}

void add_movement(const ExplainedSchedule& explained, const CacheLevel& cache, const NestView& view,
                  const FlatTraffic& traffic, LevelExplanation& level) {
  const Computation& computation = explained.computation;
  const Tile whole = box_inside(explained.nest, 0);
  const PerTensor<double> volumes = volumes_of_all(computation, view, traffic.volumes, whole);
  const TensorAccess& output = computation.tensor(Operand::output);
  // Only the link to memory moves the last visits of `nt`.
  const std::int64_t streamed = explained.schedule.nontemporal ? footprint(output, whole) : 0;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    level.volumes.values[t] = std::llround(volumes.values[t]);
  level.volumes[Operand::output] -= streamed;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    level.moved_bytes.values[t] = computation.tensors[t].element_bytes() *
                                  computation.tensors[t].transfers * level.volumes.values[t];
  if (is_last(explained, cache))
    level.moved_bytes[Operand::output] += output.element_bytes() * streamed;
}

void add_bound(const ExplainedSchedule& explained, std::size_t at, LevelExplanation& level) {
  const Computation& computation = explained.computation;
  level.bound =
      lower_bound(computation, held_elements(explained.machine, at, explained.cores.used));
  const auto outputs =
      static_cast<double>(footprint(computation.tensor(Operand::output), extents_of(computation)));
  const double streamed = explained.schedule.nontemporal ? outputs : 0;
  const double stores =
      is_last(explained, explained.machine.caches[at]) ? outputs : outputs - streamed;
  level.bound_bytes =
      static_cast<double>(computation.element_bytes()) * (level.bound.bound - streamed + stores);
}

LevelExplanation explain_level(const ExplainedSchedule& explained, std::size_t at) {
  LevelExplanation level;
  const Computation& computation = explained.computation;
  const CacheLevel& cache = explained.machine.caches[at];
  const NestView& view = view_of(explained.cores, cache);
  const std::int64_t element_bytes = computation.element_bytes();
  const CapacityCount by{.rule = rule_for(explained.held, cache, element_bytes),
                         .storage = storage_in(cache, at == 0, explained.read, explained.output)};
  level.capacity = static_cast<std::int64_t>(usable_elements(cache, element_bytes));
  level.holds_problem = holds_arrays(computation, explained.schedule, explained.machine, cache);
  const CacheTraffic traffic =
      cache_traffic(computation, explained.schedule, explained.machine, at, explained.held);
  level.cut = traffic.flat.cut;
  level.slowness = traffic.input_slowness;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    level.footprints.values[t] = footprint(computation.tensors[t], level.cut);
  explain_limit(computation, position_of(view.nest, level.cut), explained.schedule.loops, by,
                level);
  add_movement(explained, cache, view, traffic.flat, level);
  add_bound(explained, at, level);
  return level;
}

/// Adds the reason for which `compile` refuses the schedule, if registers are not the reason.
/// Instruction sets without an assembler are emitted as C.
void add_refusal(Explanation& explanation, const Nest& nest) {
  if (explanation.machine.vector.isa == Isa::neon) return;
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

/// Adds what a level or the registers cannot hold.
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
  result.machine = machine_for_schedule(schedule, machine_for(given, type_of(problem)));
  const Machine& machine = result.machine;
  const Computation& computation = result.computation;
  result.candidate.schedule = schedule;
  result.candidate.prediction = predict(computation, schedule, machine, capacity);
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  const ExplainedSchedule explained{
      .computation = computation,
      .schedule = schedule,
      .machine = machine,
      .held = capacity,
      .nest = nest,
      .cores = cores_of(computation, nest, machine.cores),
      .read = read_layout(computation, schedule, nest),
      .output = layout_of(computation, Operand::output,
                          layout_in_loops(computation, schedule, nest, Operand::output))};
  for (std::size_t at = 0; at < machine.caches.size(); ++at)
    result.levels.push_back(explain_level(explained, at));
  result.repack = repack(computation, schedule, nest, machine, explained.cores.used);
  result.peak_seconds = flops(computation) / (std::max(1, machine.cores) * peak_flops(machine));
  result.compute = compute_of(computation, nest, explained.read, machine);
  add_reasons(result);
  add_refusal(result, nest);
  return result;
}

}  // namespace tileplan
