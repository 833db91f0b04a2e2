// SPDX-License-Identifier: Apache-2.0
// Each part of packed weights and of a workspace begins at a cache line.
#include "stage_plan.h"

#include <algorithm>
#include <variant>

#include "integers.h"

namespace tileplan {
namespace {

constexpr std::int64_t kLineBytes = 64, kSumBytes = 4;

/// Appends a part of `bytes` bytes to memory that has `all` bytes so far, and returns the offset of
/// the part.
std::int64_t append(std::int64_t& all, std::int64_t bytes) {
  const std::int64_t offset = round_up(all, kLineBytes);
  if (bytes > 0) all = offset + bytes;
  return offset;
}

bool is_parallel(const Schedule& schedule) {
  return std::ranges::any_of(schedule.loops,
                             [](const Specifier& loop) { return loop.kind == Kind::parallel; });
}

/// Returns true when the loops need the input in another layout or type than the caller gives, or
/// whole strips that the caller's tensor lacks.
bool needs_copy(const TensorAccess& input, Layout given) {
  if (input.copied) return true;
  if (input.strip == 1 || given == Layout::plain) return false;
  return given == Layout::nchw || !holds_strips(given, input);
}

const ConvShape* conv_of(const Computation& elements) {
  return std::get_if<ConvShape>(&elements.problem);
}

}  // namespace

bool has_stages(const TensorTypes& types) {
  return types != ElementType::f32 && types != ElementType::f64 && types != ElementType::s32;
}

StagePlan plan_stages(const Computation& elements, const Computation& loops, const LoopTypes& types,
                      const Schedule& schedule, const Epilogue& epilogue) {
  StagePlan stages{.elements = elements,
                   .types = types,
                   .epilogue = epilogue,
                   .in = schedule.in,
                   .out = schedule.out,
                   .copies_input = needs_copy(loops.tensor(Operand::input), schedule.in),
                   .parallel = is_parallel(schedule)};
  stages.types.strip = loops.products;
  if (const ConvShape* const conv = conv_of(elements); conv != nullptr && stages.has_input_point())
    stages.sets = window_sets(*conv);
  stages.converts = loops.tensor(Operand::output).copied || stages.differs_by_pixel();
  return stages;
}

Epilogue loop_epilogue(const StagePlan& stages) {
  Epilogue epilogue = stages.epilogue;
  if (stages.converts)
    epilogue = {.alpha = epilogue.alpha, .beta = epilogue.beta, .bias = epilogue.bias};
  epilogue.bias = epilogue.bias || stages.corrects_channels();
  return epilogue;
}

TensorLayout input_layout(const StagePlan& stages, const Computation& loops) {
  const bool is_conv = stages.in != Layout::plain;
  return layout_of(loops, Operand::input,
                   stages.copies_input && is_conv ? Layout::nhwc : stages.in);
}

PackedSections packed_sections(const StagePlan& stages, const Computation& loops,
                               const WeightsOrder& order) {
  const std::int64_t sums = kSumBytes * bias_layout(loops, true).elements;
  const auto sets = static_cast<std::int64_t>(stages.sets.count);
  PackedSections sections;
  sections.bytes = order.elements() * loops.tensor(Operand::weights).element_bytes();
  sections.corrections = append(sections.bytes, stages.types.flips_input ? sums : 0);
  sections.window_sums = append(sections.bytes, stages.has_input_point() ? sets * sums : 0);
  const std::int64_t points = kSumBytes * bias_layout(stages.elements).elements;
  sections.zero_points = append(sections.bytes, stages.has_weights_points() ? points : 0);
  return sections;
}

WorkspaceSections workspace_sections(const StagePlan& stages, const Computation& loops) {
  const TensorLayout output = layout_of(stages.elements, Operand::output, stages.out);
  WorkspaceSections sections;
  const std::int64_t input =
      input_layout(stages, loops).elements * loops.tensor(Operand::input).element_bytes();
  sections.input = append(sections.bytes, stages.copies_input ? input : 0);
  sections.sums = append(sections.bytes, stages.has_sums() ? kSumBytes * output.elements : 0);
  sections.bias =
      append(sections.bytes,
             stages.corrects_channels() ? kSumBytes * bias_layout(loops, true).elements : 0);
  const bool sums = stages.has_weights_points();
  std::int64_t pixels = 1;
  const TensorAccess& access = stages.elements.tensor(Operand::input);
  const auto strips = find_term(access, strip_dim(stages.elements))->index;
  for (std::size_t a = 0; a < access.data.size(); ++a)
    if (a != strips) pixels *= access.data[a].extent;
  sections.channel_sums = append(sections.bytes, sums ? kSumBytes * pixels : 0);
  sections.window_sums =
      append(sections.bytes, sums ? kSumBytes * images_of(stages.elements) *
                                        output_pixels(stages.elements) * groups_of(stages.elements)
                                  : 0);
  return sections;
}

std::int64_t output_pixels(const Computation& elements) {
  if (const ConvShape* const conv = conv_of(elements))
    return conv->depth.out * conv->height.out * conv->width.out;
  return std::get<GemmShape>(elements.problem).m;
}

std::int64_t images_of(const Computation& elements) {
  if (const ConvShape* const conv = conv_of(elements)) return conv->n;
  return std::get<GemmShape>(elements.problem).b;
}

std::int64_t groups_of(const Computation& elements) {
  const ConvShape* const conv = conv_of(elements);
  return conv == nullptr ? 1 : conv->g;
}

}  // namespace tileplan
