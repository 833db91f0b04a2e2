// SPDX-License-Identifier: Apache-2.0
// This file writes shapes as phrases, and loop nests as lines.
#include <algorithm>

#include "capacity.h"
#include "layer_page.h"
#include "nest.h"

namespace tileplan {
namespace {

/// Returns a text such as "L2 keeps In 57.6 kB, Ker 147 kB, Out 896 B of 1.31 MB".
std::string kept_text(const LayerReport& report, std::size_t index) {
  const LevelExplanation& level = report.explanation.levels[index];
  const CacheLevel& cache = report.explanation.machine.caches[index];
  std::string text = cache.name + " keeps ", separator;
  for (std::size_t t = 0; t < level.tensors.size(); ++t) {
    const TensorAccess& tensor = report.computation.tensors[t];
    const auto bytes =
        static_cast<double>(tensor.element_bytes() * level.tensors[t].movement.footprint);
    text += std::exchange(separator, ", ") + tensor.name + " " + with_prefix(bytes, "B");
  }
  return text + " of " + with_prefix(usable_bytes(cache), "B");
}

/// Returns a text such as "16 steps of 32", "2 steps of 11, 1 of 12" or "unrolled".
std::string steps_text(const Specifier& loop, const Nest& nest, std::size_t position) {
  if (loop.kind == Kind::vector) return "one vector";
  if (loop.kind == Kind::unroll) return "unrolled";
  const std::string shared = loop.kind == Kind::parallel ? ", on the threads" : "";
  const auto counted = [](std::int64_t steps) {
    return std::to_string(steps) + (steps == 1 ? " step" : " steps");
  };
  if (loop.is_lambda()) {
    std::string text;
    for (const Part& part : nest.loops[position].parts)
      text += (text.empty() ? counted(part.times) : ", " + std::to_string(part.times)) + " of " +
              std::to_string(part.size);
    return text + shared;
  }
  const Dim dim = nest.loops[position].dim;
  const std::int64_t step = box_inside(nest, position + 1)[dim];
  std::string text = counted(nest.loops[position].trips);
  if (step > 0) text += " of " + std::to_string(step);
  return text + shared;
}

std::string conv_description(const ConvShape& shape) {
  std::vector<Axis> axes{shape.width};
  if (shape.height != Axis{} || shape.depth != Axis{}) axes.insert(axes.begin(), shape.height);
  if (shape.depth != Axis{}) axes.insert(axes.begin(), shape.depth);
  const auto each_axis = [&](std::int64_t Axis::*number) {
    std::string text;
    for (const Axis& axis : axes) text += " x " + std::to_string(axis.*number);
    return text;
  };
  const auto part = [&](const char* name, std::int64_t usual, std::int64_t Axis::*number) {
    if (std::ranges::count(axes, usual, number) == std::ssize(axes)) return std::string();
    return ", " + std::string(name) + each_axis(number).substr(2);
  };
  const std::string groups =
      shape.g == 1 ? "" : ", " + std::to_string(shape.g) + " groups of channels";
  return "convolution, batch " + std::to_string(shape.n) + groups + ": " + std::to_string(shape.c) +
         each_axis(&Axis::in) + " -> " + std::to_string(shape.k) + each_axis(&Axis::out) +
         ", filter" + each_axis(&Axis::filter).substr(2) + part("stride", 1, &Axis::stride) +
         part("padding", 0, &Axis::pad_before) + part("dilation", 1, &Axis::dilation);
}

std::string gemm_description(const GemmShape& shape) {
  return "matrix product" + (shape.b == 1 ? std::string() : ", batch " + std::to_string(shape.b)) +
         ": " + std::to_string(shape.m) + " x " + std::to_string(shape.k) + " times " +
         std::to_string(shape.k) + " x " + std::to_string(shape.n) +
         (shape.ta ? ", A transposed" : "") + (shape.tb ? ", B transposed" : "");
}

}  // namespace

std::string description(const Problem& problem) {
  if (const auto* conv = std::get_if<ConvShape>(&problem)) return conv_description(*conv);
  if (const auto* gemm = std::get_if<GemmShape>(&problem)) return gemm_description(*gemm);
  return "computation given as relations";
}

std::string annotated_nest(const LayerReport& report) {
  constexpr std::size_t kColumn = 32;
  const Explanation& explanation = report.explanation;
  const Schedule& schedule = explanation.candidate.schedule;
  const Nest nest = resolve(schedule, report.computation, explanation.machine.vector.lanes);
  std::string text;
  for (std::size_t i = 0; i <= schedule.loops.size(); ++i) {
    const std::string indent(2 * std::min(i, nest.loops.size()), ' ');
    for (std::size_t level = explanation.levels.size(); level-- > 0;)
      if (explanation.levels[level].loops_outside == i)
        text += indent + "# " + kept_text(report, level) + '\n';
    if (i == schedule.loops.size()) break;
    const std::string loop = indent + to_string(schedule.loops[i]);
    const std::size_t gap = loop.size() + 2 < kColumn ? kColumn - loop.size() : 2;
    text += loop + std::string(gap, ' ') + steps_text(schedule.loops[i], nest, i) + '\n';
  }
  text.pop_back();
  return text;
}

}  // namespace tileplan
