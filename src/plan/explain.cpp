// SPDX-License-Identifier: Apache-2.0
// This file explains a schedule with the models of predict(): the contents and the loads of each
// cache, packing, microkernel calls, and the reasons for which it is rejected. Equations such as
// (C) are those of models/README.md.

#include "tileplan/explain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "bounds.h"
#include "branches.h"
#include "cache_cut.h"
#include "capacity.h"
#include "compute.h"
#include "cores.h"
#include "cost.h"
#include "explain_calls.h"
#include "explain_gemm.h"
#include "explain_winograd.h"
#include "flat.h"
#include "footprint.h"
#include "fused_conversion.h"
#include "link_flows.h"
#include "loop_extents.h"
#include "loop_tree.h"
#include "merge_dims.h"
#include "nest.h"
#include "option_rules.h"
#include "order_class.h"
#include "reduction.h"
#include "repack.h"
#include "strips.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {
namespace {

struct CapacityCount {
  CapacityRule rule;
  Storage storage;
};

struct NeededCapacity {
  std::int64_t elements = 0;
  /// Tells whether `elements` counts whole cache lines, which hold more elements than the box.
  bool of_lines = false;
  /// Describes the cache set that gets more lines than it has ways, if the lines fit otherwise.
  CrowdedSet crowded = {};
};

/// Returns what must fit into a cache of `capacity` elements, by eq. (C). Cache lines are not
/// counted when elements alone do not fit.
NeededCapacity need_of(const Computation& computation, const CountedBox& counted,
                       const CapacityCount& by, std::int64_t capacity) {
  NeededCapacity need{.elements = required(computation, counted.box, counted.next, by.rule)};
  if (need.elements > capacity) return need;
  const std::int64_t lines = whole_lines(computation, counted.box, by.storage);
  need.of_lines = lines > need.elements;
  need.elements = std::max(need.elements, lines);
  if (lines <= capacity) need.crowded = crowded_set(computation, counted.box, by.storage);
  return need;
}

const char* word_for(Operand operand) {
  if (operand == Operand::weights) return "weights";
  return operand == Operand::input ? "input" : "output";
}

/// Returns the reason why a cache of `capacity` elements does not suffice for `need`.
std::string limit_text(const NeededCapacity& need, const Storage& storage, std::int64_t capacity) {
  if (need.crowded.lines > 0)
    return std::to_string(need.crowded.lines) + " lines of the " + word_for(need.crowded.operand) +
           " in one set; " + std::to_string(storage.ways) + " ways are there";
  return std::to_string(need.elements) +
         (need.of_lines ? " elements in whole lines" : " elements") + "; " +
         std::to_string(capacity) + " are usable";
}

/// Fills the fields of `level` about its capacity. `cut` divides `loops`, the loops of the
/// schedule, into those outside and those inside the largest box that fits. If not even the
/// register tile fits, the cut is directly outside it.
void explain_limit(const Computation& computation, const CacheCut& cut,
                   const std::vector<Specifier>& loops, const CapacityCount& by,
                   LevelExplanation& level) {
  const NeededCapacity need = need_of(computation, cut.counted, by, level.capacity);
  level.loops_outside = cut.position;
  level.required = need.elements;
  level.holds_tile = level.holds_problem || level.required <= level.capacity;
  if (level.holds_problem) return;
  if (!level.holds_tile || need.crowded.lines > 0)
    level.limit = "the register tile needs " + limit_text(need, by.storage, level.capacity);
  else if (cut.larger)
    level.limit = "with " + to_string(loops[cut.larger->loop]) + " it needs " +
                  limit_text(need_of(computation, cut.larger->counted, by, level.capacity),
                             by.storage, level.capacity);
}

struct ExplainedSchedule {
  const Computation& computation;
  const Schedule& schedule;
  const Machine& machine;
  PredictionRules rules;
  Nest nest;
  Cores cores;
  /// The loops read the input and write the output in these layouts.
  TensorLayout read, output;
  std::optional<TensorLayout> rows;  ///< The loops read weights in place in this layout.
  /// Gives the bytes of a finished output: those of its type where kernels convert sums in
  /// registers, and those of a sum otherwise.
  std::int64_t finished_bytes = 0;
};

ExplainedSchedule with_nest(const Computation& computation, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  return {.computation = computation,
          .schedule = schedule,
          .machine = machine,
          .rules = rules,
          .nest = nest,
          .cores = cores_of(computation, nest, machine.cores),
          .read = read_layout(computation, schedule, nest),
          .output = layout_of(computation, Operand::output,
                              layout_in_loops(computation, schedule, nest, Operand::output)),
          .rows = weights_in_place(computation, schedule),
          .finished_bytes = finished_bytes(computation, schedule, nest, machine.vector)};
}

/// Returns the operands that the schedule of `explained` packs inside its loops. For a machine
/// without caches it returns none, because it counts bytes on the link into the first cache.
std::vector<PackedOperand> packed_operands(const ExplainedSchedule& explained) {
  const Schedule& schedule = explained.schedule;
  const Marks marks = schedule;
  std::vector<PackedOperand> packed;
  if (explained.machine.caches.empty()) return packed;
  const ResolvedSchedule resolved{explained.computation, explained.nest, marks, explained.machine,
                                  explained.rules};
  for (const auto& [operand, position] : {std::pair{Operand::input, schedule.pack_input},
                                          {Operand::weights, schedule.pack_weights},
                                          {Operand::output, schedule.pack_output}})
    if (position)
      packed.push_back({.tensor = explained.computation.tensor(operand).name,
                        .loop = to_string(schedule.loops[static_cast<std::size_t>(*position)]),
                        .elements = packed_elements(resolved, operand),
                        .bytes_in_l1 = packing_link(resolved, operand).bytes()});
  return packed;
}

bool is_last(const ExplainedSchedule& explained, const CacheLevel& cache) {
  return &cache == &explained.machine.caches.back();
}

/// Returns the number of outputs that streaming stores (mark `nt`) write to memory past the caches.
std::int64_t streamed_elements(const ExplainedSchedule& explained) {
  return explained.schedule.nontemporal ? footprint(explained.computation.tensor(Operand::output),
                                                    box_inside(explained.nest, 0))
                                        : 0;
}

/// Returns the bytes that are saved because one of the movements of each output moves a finished
/// number of its own type instead of a sum. A movement crosses the link TensorAccess::transfers
/// times, because the output is loaded before it is stored.
std::int64_t saved_bytes(const ExplainedSchedule& explained) {
  const TensorAccess& output = explained.computation.tensor(Operand::output);
  const std::int64_t outputs = footprint(output, extents_of(explained.computation));
  return (output.element_bytes() - explained.finished_bytes) * output.transfers * outputs;
}

/// Returns the movement of each tensor. Outputs with streaming stores cross the link to memory
/// only, which is counted with the last cache.
std::vector<LevelTensor> tensors_of(const ExplainedSchedule& explained, const CacheLevel& cache,
                                    const NestView& view, const FlatTraffic& traffic) {
  const Computation& computation = explained.computation;
  const PerTensor<double> volumes =
      volumes_of_all(computation, view, traffic.volumes, box_inside(explained.nest, 0));
  std::vector<LevelTensor> tensors;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    const bool is_output = t == static_cast<std::size_t>(Operand::output);
    const std::int64_t streamed = is_output ? streamed_elements(explained) : 0;
    LevelTensor moved{.movement = {.tensor = tensor.name,
                                   .footprint = footprint(tensor, traffic.cut),
                                   .volume = std::llround(volumes.values[t]) - streamed},
                      .bytes = 0};
    moved.bytes = tensor.element_bytes() * tensor.transfers * moved.movement.volume;
    if (is_last(explained, cache)) moved.bytes += tensor.element_bytes() * streamed;
    if (is_output) moved.bytes -= saved_bytes(explained);
    tensors.push_back(std::move(moved));
  }
  return tensors;
}

/// Adds the lower bounds on the loads of the level and on the bytes on its link. The bytes follow
/// from the loads in three steps. Streaming stores avoid the one load per output that the bound on
/// loads counts. Then the one store per output is added, which crosses only the link of the last
/// cache if it is streamed. At last, finished outputs may be smaller than sums, which shortens one
/// load and the stores.
void add_bound(const ExplainedSchedule& explained, std::size_t at, LevelExplanation& level) {
  const Computation& computation = explained.computation;
  level.least_loads = lower_bound(
      computation,
      held_units(explained.machine, at, explained.cores.used, computation.unit_bytes()));
  const auto outputs =
      static_cast<double>(footprint(computation.tensor(Operand::output), extents_of(computation)));
  const double streamed = explained.schedule.nontemporal ? outputs : 0;
  const double stores =
      is_last(explained, explained.machine.caches[at]) ? outputs : outputs - streamed;
  const auto sum = static_cast<double>(computation.tensor(Operand::output).element_bytes());
  const auto finished = static_cast<double>(explained.finished_bytes);
  level.bound_bytes =
      level.least_loads.bytes - sum * streamed - (sum - finished) * outputs + finished * stores;
}

LevelExplanation explain_level(const ExplainedSchedule& explained, std::size_t at) {
  LevelExplanation level;
  const Computation& computation = explained.computation;
  const CacheLevel& cache = explained.machine.caches[at];
  const NestView& view = view_of(explained.cores, cache);
  const std::int64_t element_bytes = computation.unit_bytes();
  const CapacityCount by{.rule = rule_for(explained.rules.capacity, cache, element_bytes),
                         .storage = storage_in(cache, at == 0, explained.read, explained.output,
                                               explained.rows ? &*explained.rows : nullptr)};
  const CacheTraffic traffic =
      cache_traffic(computation, explained.schedule, explained.machine, at, explained.rules);
  level.cache = cache.name;
  level.capacity = static_cast<std::int64_t>(usable_units(cache, element_bytes));
  level.holds_problem =
      holds_arrays(computation, explained.schedule, explained.machine, cache, explained.rules);
  level.tile = loop_extents(computation, traffic.flat.cut);
  level.slowness = traffic.input_slowness;
  level.tensors = tensors_of(explained, cache, view, traffic.flat);
  const CacheCut cut = cache_cut(computation, view.nest, level.capacity, by.rule, &by.storage);
  explain_limit(computation, cut, explained.schedule.loops, by, level);
  add_bound(explained, at, level);
  return level;
}

/// Returns the reason for which compile() refuses the schedule, or nothing. Registers are checked
/// separately. NEON has no assembler here, so its schedules can only be emitted as C, and this
/// function returns nothing for them.
std::optional<std::string> refusal_of(const ExplainedSchedule& explained) {
  const VectorUnit& unit = explained.machine.vector;
  if (unit.isa == Isa::neon) return std::nullopt;
  try {
    TreeSpec spec = tree_spec(explained.computation, explained.schedule, explained.nest, unit.isa);
    LoopTypes types = loop_types(types_of(explained.computation.problem), unit);
    types.strip = explained.computation.products;
    spec.product = product_code(types, unit.dots);
    build_tree(explained.computation, explained.nest, spec);
  } catch (const Error& refusal) {
    return refusal.what();
  }
  return std::nullopt;
}

std::string too_many_registers(const RegisterTile& tile, const VectorUnit& unit) {
  return "registers: " + std::to_string(tile.pixels) + " x " + std::to_string(tile.vectors) +
         " vectors need " + std::to_string(generated_step(tile, unit).registers) + "; " +
         std::to_string(unit.registers) + " exist";
}

/// Returns the reasons for which the schedule is rejected: a cache or the registers cannot hold its
/// tiles or, if the registers can, the assembler refuses it.
std::vector<std::string> rejections_of(const ExplainedSchedule& explained,
                                       const std::vector<LevelExplanation>& levels,
                                       const std::vector<BranchCompute>& compute) {
  std::vector<std::string> reasons;
  for (const LevelExplanation& level : levels)
    if (!level.holds_tile) reasons.push_back(level.cache + ": " + level.limit);
  bool fits = true;
  for (const BranchCompute& one : compute) {
    if (fits_registers(one.tile, explained.machine.vector)) continue;
    fits = false;
    reasons.push_back(too_many_registers(one.tile, explained.machine.vector));
  }
  if (!fits) return reasons;
  if (const auto refusal = refusal_of(explained)) reasons.push_back(*refusal);
  return reasons;
}

std::int64_t sum_over(const std::vector<LevelTensor>& tensors,
                      std::int64_t (*value)(const LevelTensor&)) {
  std::int64_t sum = 0;
  for (const LevelTensor& tensor : tensors) sum += value(tensor);
  return sum;
}

}  // namespace

std::int64_t LevelExplanation::footprint() const {
  return sum_over(tensors, [](const LevelTensor& one) { return one.movement.footprint; });
}

std::int64_t LevelExplanation::moved_bytes() const {
  return sum_over(tensors, [](const LevelTensor& one) { return one.bytes; });
}

double LevelExplanation::distance() const {
  return static_cast<double>(moved_bytes()) / bound_bytes;
}

MicrokernelCalls calls_from(const BranchCompute& branch) {
  return {.pixels = branch.tile.pixels,
          .vectors = branch.tile.vectors,
          .calls = branch.calls.calls,
          .steps = branch.calls.steps,
          .cycles_per_step = branch.cycles_of_call.step,
          .cycles_per_call = branch.cycles_of_call.call,
          .call_cycles = branch.call_cycles,
          .run_cycles = branch.run_cycles,
          .dispatch_cycles = branch.dispatch_cycles};
}

Explanation explain(const Problem& problem, const Machine& given, const Schedule& schedule,
                    const Options& options) {
  Explanation result;
  result.problem = problem;
  result.regime = options.regime;
  result.machine = machine_for_schedule(schedule, machine_for(given, types_of(problem)));
  Machine& machine = result.machine;
  check_options(options, machine, types_of(problem));
  machine.cores = options.threads;
  if (schedule.winograd) return explain_winograd(problem, machine, schedule, options);
  const Computation computation = loop_computation(problem, schedule, machine.vector);
  result.candidate.schedule = schedule;
  result.candidate.prediction = predict(computation, schedule, machine, rules_of(options));
  const ExplainedSchedule explained = with_nest(computation, schedule, machine, rules_of(options));
  for (std::size_t at = 0; at < machine.caches.size(); ++at)
    result.levels.push_back(explain_level(explained, at));
  result.order.classes =
      order_class(computation, schedule, machine, order_classes(computation),
                  cached_tiles(computation, schedule, machine, rules_of(options)));
  const Repack moved = repack(computation, schedule, explained.nest, machine, explained.cores.used);
  result.repack = {.input = moved.input, .output = moved.output};
  result.packed = packed_operands(explained);
  result.peak_seconds = flops(computation_of(problem)) / (machine.cores * peak_flops(machine));
  result.stored_share = stored_share(computation);
  const std::vector<BranchCompute> compute =
      compute_of(computation, explained.nest, explained.read, machine);
  for (const BranchCompute& one : compute) result.compute.push_back(calls_from(one));
  if (std::holds_alternative<GemmShape>(problem))
    result.gemm = explain_gemm(computation, explained.nest, machine);
  result.rejected = rejections_of(explained, result.levels, compute);
  return result;
}

}  // namespace tileplan
