// SPDX-License-Identifier: Apache-2.0
// The loops of a Winograd schedule compute products M of transformed inputs V and transformed
// weights U, so that levels describe V, U and M instead of the tensors of the convolution. No
// schedule is rejected because of a cache: the model counts the traffic also where not even the
// register tile fits, and the search for Winograd schedules rejects none of these either.
#include "explain_winograd.h"

#include <cmath>

#include "branches.h"
#include "compute.h"
#include "cost.h"
#include "explain_calls.h"
#include "footprint.h"
#include "option_rules.h"
#include "tileplan/text.h"
#include "winograd_blocks.h"
#include "winograd_cost.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

struct Explained {
  const WinogradProblem& problem;
  const Schedule& schedule;
  const Machine& machine;
  PredictionRules rules;
  const Nest& nest;
  const WinogradBlocks& blocks;

  ProductTraffic traffic(std::size_t at) const {
    const CacheLevel& cache = machine.caches[at];
    return product_traffic(blocks, cache, usable_bytes(cache),
                           rule_for(rules.capacity, cache, problem.products.unit_bytes()));
  }
  double element_bytes() const { return static_cast<double>(problem.products.unit_bytes()); }
};

LevelTensor moved(const Explained& explained, Operand operand, const Tile& cut, double volume) {
  const TensorAccess& tensor = explained.problem.products.tensor(operand);
  LevelTensor result{.movement = {.tensor = tensor.name,
                                  .footprint = footprint(tensor, cut),
                                  .volume = std::llround(volume)},
                     .bytes = 0};
  result.bytes = tensor.element_bytes() * tensor.transfers * result.movement.volume;
  return result;
}

/// Returns a lower bound on the loads of a schedule of this algorithm. V and M may stay in a cache,
/// so that a level need load the transformed weights alone: `bound` counts these. `bytes` counts
/// the input, the transformed weights and the outputs of the whole convolution.
LowerBound least_loads(const Explained& explained) {
  const Computation& products = explained.problem.products;
  const double weights =
      static_cast<double>(footprint(products.tensor(Operand::weights), extents_of(products)));
  const double bytes = winograd_bound_bytes(explained.problem);
  return {.lb1 = 0,
          .lb2 = 0,
          .compulsory = bytes / explained.element_bytes(),
          .bound = weights,
          .bytes = bytes};
}

LevelExplanation explain_level(const Explained& explained, std::size_t at) {
  const CacheLevel& cache = explained.machine.caches[at];
  const Computation& products = explained.problem.products;
  const ProductTraffic traffic = explained.traffic(at);
  const Tile cut = largest_box_inside(explained.nest, traffic.cut);
  const auto elements = [&](double bytes) {
    return std::llround(bytes / explained.element_bytes());
  };
  LevelExplanation level{.cache = cache.name,
                         .tensors = {moved(explained, Operand::input, cut, traffic.v),
                                     moved(explained, Operand::weights, cut, traffic.u),
                                     moved(explained, Operand::output, cut, traffic.m)},
                         .required = elements(traffic.needed),
                         .capacity = elements(usable_bytes(cache)),
                         .least_loads = least_loads(explained)};
  for (int d = 0; d < products.dims(); ++d)
    level.tile.push_back({products.name(Dim{d}), cut[Dim{d}]});
  level.loops_outside = traffic.cut;
  level.holds_problem = traffic.cut == 0;
  level.holds_tile = level.required <= level.capacity;
  level.bound_bytes = explained.element_bytes() * level.least_loads.bound;
  if (traffic.outside > 0)
    level.limit = "with " + to_string(explained.schedule.loops[traffic.cut - 1]) + " it needs " +
                  std::to_string(elements(traffic.outside)) + " elements; " +
                  std::to_string(level.capacity) + " are usable";
  return level;
}

double cycles_of(const TransformRate& rate, bool is_input, bool is_first) {
  if (is_input) return is_first ? rate.in_first : rate.in_second;
  return is_first ? rate.out_first : rate.out_second;
}

WinogradBox box_of(const Explained& explained, bool is_input) {
  const WinogradBlocks& blocks = explained.blocks;
  const Computation& products = explained.problem.products;
  const Tile& box = is_input ? blocks.in_box : blocks.out_box;
  const TensorLayout& layout = is_input ? blocks.v : blocks.m;
  WinogradBox result{
      .name = is_input ? "V" : "M",
      .tiles = box[products.dim("p")],
      .channels = box[products.dim(is_input ? "c" : "k")],
      .bytes = layout.elements * products.unit_bytes(),
      .transforms = is_input ? blocks.input_transforms() : blocks.output_transforms()};
  for (std::size_t at = 0; at < explained.machine.caches.size(); ++at) {
    const ProductTraffic traffic = explained.traffic(at);
    if (is_input ? traffic.keeps_v : traffic.keeps_m)
      result.caches.push_back(explained.machine.caches[at].name);
  }
  const std::vector<CacheLevel>& caches = explained.machine.caches;
  const bool is_first =
      caches.empty() || (!result.caches.empty() && result.caches.front() == caches.front().name);
  const std::int64_t products_per_tile = extents_of(products)[products.dim("x")];
  result.padding_bytes =
      result.bytes - result.tiles * result.channels * products_per_tile * products.unit_bytes();
  result.cycles = cycles_of(explained.problem.rate, is_input, is_first);
  return result;
}

std::string box_text(const WinogradBox& box) {
  std::string text = box.name + " holds " + std::to_string(box.tiles) + " tiles x " +
                     std::to_string(box.channels) + " channels in " + std::to_string(box.bytes) +
                     " bytes, with " + std::to_string(box.padding_bytes) + " bytes of padding; ";
  if (box.caches.empty())
    text += "no cache keeps it";
  else
    text += box.caches.front() + " keeps it";
  return text + "; " + fixed(box.transforms, 0) + " transforms of " + fixed(box.cycles, 1) +
         " cycles\n";
}

constexpr const char* kLegend =
    "V holds transformed tiles of the input, U the transformed weights and M their products, which "
    "are transformed into outputs. The loop p counts tiles, and x the products of one tile. The "
    "tables of levels, tensors and microkernels are about the loops over these products. Each "
    "stage takes the time of its computing and "
    "the part of its traffic that computing does not hide.\n";

std::string stage_table(const std::vector<StagePrediction>& stages, TextStyle style) {
  std::vector<std::string> head{"stage", "time", "computing", "not hidden"};
  for (const LevelPrediction& level : stages.front().levels) {
    head.push_back(level.name + ", bytes");
    head.push_back(level.name + ", time");
  }
  std::vector<std::vector<std::string>> rows{head};
  for (const StagePrediction& stage : stages) {
    std::vector<std::string> row{stage.name, format_seconds(stage.seconds),
                                 format_seconds(stage.compute_seconds),
                                 format_seconds(stage.seconds - stage.compute_seconds)};
    for (const LevelPrediction& level : stage.levels) {
      row.push_back(fixed(level.bytes, 0));
      row.push_back(format_seconds(level.seconds));
    }
    rows.push_back(std::move(row));
  }
  return table_text(rows, style);
}

}  // namespace

std::string stages_text(const Explanation& explanation, TextStyle style) {
  const Prediction& prediction = explanation.candidate.prediction;
  if (prediction.stages.empty()) return "";
  std::string text = kLegend;
  text += "the a-priori error bound is " + fixed(prediction.relative_error, 2) +
          " times that of the direct convolution\n";
  for (const WinogradBox& box : explanation.boxes) text += box_text(box);
  return fitted(text, style) + '\n' + stage_table(prediction.stages, style);
}

Explanation explain_winograd(const Problem& problem, const Machine& machine,
                             const Schedule& schedule, const Options& options) {
  Explanation result;
  result.problem = problem;
  result.regime = options.regime;
  result.machine = machine;
  const WinogradProblem found = winograd_problem(problem, *schedule.winograd, machine);
  const PredictionRules rules = rules_of(options);
  result.candidate = {.schedule = schedule,
                      .prediction = predict_winograd(found, schedule, machine, rules)};
  const Nest nest = resolve(schedule, found.products, machine.vector.lanes);
  const WinogradBlocks blocks(found, nest, schedule, machine);
  const Explained explained{found, schedule, machine, rules, nest, blocks};
  for (std::size_t at = 0; at < machine.caches.size(); ++at)
    result.levels.push_back(explain_level(explained, at));
  result.boxes = {box_of(explained, true), box_of(explained, false)};
  result.peak_seconds = flops(problem) / (machine.cores * peak_flops(machine));
  for (const BranchCompute& one : compute_of(found.products, nest, blocks.v, machine)) {
    result.compute.push_back(calls_from(one));
    if (!fits_registers(one.tile, machine.vector))
      result.rejected.push_back("registers: " + std::to_string(one.tile.pixels) + " x " +
                                std::to_string(one.tile.vectors) + " vectors do not fit");
  }
  return result;
}

}  // namespace tileplan
