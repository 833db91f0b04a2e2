// SPDX-License-Identifier: Apache-2.0
// This file compiles schedules to kernels, which are loop trees with the copies and conversions
// around them. It also packs weights, and counts the bytes that kernels need.
#include "tileplan/kernel.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "compile.h"
#include "compiled_kernel.h"
#include "fused_conversion.h"
#include "merge_dims.h"
#include "nest.h"
#include "option_rules.h"
#include "pack.h"
#include "repack.h"
#include "tileplan/error.h"
#include "units.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

std::size_t size_of(const TensorLayout& layout) {
  return static_cast<std::size_t>(layout.elements);
}

/// Returns how an activation [n, g, c, pixels...] is transposed to layout `to`, nhwc or nchw.
Transposition transposition(const TensorAccess& tensor, Layout to) {
  const std::int64_t channels = tensor.data[1].extent * tensor.data[2].extent;
  std::int64_t pixels = 1;
  for (std::size_t i = 3; i < tensor.data.size(); ++i) pixels *= tensor.data[i].extent;
  const bool from_nchw = to == Layout::nhwc;
  return {.images = tensor.data[0].extent,
          .rows = from_nchw ? channels : pixels,
          .columns = from_nchw ? pixels : channels};
}

/// Transforms the weights of a Winograd convolution, which are f32, and packs the results into
/// `packed`.
void pack_winograd(const CompiledKernel& compiled, const ConstElements& weights, Packed& packed) {
  const WinogradConvolution& winograd = *compiled.winograd;
  const std::vector<float> transformed = transformed_weights(
      winograd, std::span(reinterpret_cast<const float*>(weights.data()), weights.size()));
  pack_weights({.elements = winograd.products,
                .loops = winograd.products,
                .types = compiled.loop_types,
                .order = compiled.tree.weights},
               reinterpret_cast<const char*>(transformed.data()), packed.data());
}

void pack(const CompiledKernel& compiled, const ConstElements& weights,
          const ConstElements& zero_points, Packed& result) {
  const LoopTypes& types = compiled.loop_types;
  if (compiled.source.schedule.takes_plain_weights())
    throw Error("packed weights: of " + to_string(compiled.source.schedule) +
                "; this kernel takes plain weights");
  require_tensor("weights", weights, compiled.source.types.weights,
                 size_of(compiled.layouts.weights));
  const WeightsPacking packing{.elements = compiled.elements,
                               .loops = compiled.computation,
                               .types = types,
                               .order = compiled.tree.weights};
  result.reset(compiled.packed_elements(), compiled.order, types.weights);
  result.set_zero_points(
      pack_zero_points(compiled.elements, compiled.zero_points, weights, zero_points,
                       compiled.source.epilogue.quantisation.weights_zero_points));
  if (compiled.winograd) return pack_winograd(compiled, weights, result);
  pack_weights(packing, weights.data(), result.data());
  result.set_corrections(corrections_of(packing, weights.data()));
}

const char* dots_of(Isa isa) {
  return isa == Isa::amx ? "AMX-INT8 or AMX-BF16" : "AVX512_VNNI or AVX512_BF16";
}

/// Throws Error when `plan` has no candidate `rank` or this CPU cannot execute that candidate.
void require_compilable(const Plan& plan, std::size_t rank) {
  if (rank >= plan.candidates.size())
    throw Error("compile: candidate " + std::to_string(rank) + "; the plan has " +
                std::to_string(plan.candidates.size()));
  const VectorUnit& unit = unit_of(plan.candidates[rank].schedule, plan.machine);
  if (!host_has(unit.isa))
    throw Error("compile: this CPU does not run " + to_string(unit.isa) + "; the plan for " +
                plan.machine.name + " needs it");
  const DotProducts dots = host_dots(unit.isa);
  if ((unit.dots.integers && !dots.integers) || (unit.dots.bf16 && !dots.bf16))
    throw Error(std::string("compile: this CPU lacks ") + dots_of(unit.isa) + "; the plan for " +
                plan.machine.name + " needs it");
}

/// Returns the copies, transpositions and conversions between the caller's tensors and those of the
/// loops.
CompiledKernel::Stages stages_of(const CompiledKernel& kernel, const Nest& nest,
                                 const TreeSpec& spec) {
  const Computation& computation = kernel.computation;
  const Schedule& schedule = kernel.source.schedule;
  CompiledKernel::Stages stages{.converted = kernel.stages.converted};
  const TensorAccess& input = computation.tensor(Operand::input);
  const Layout in = layout_in_loops(computation, schedule, nest, Operand::input);
  // Transpositions move elements of the size of sums, so narrower inputs are copied instead.
  const bool is_narrow =
      input.element_bytes() != computation.tensor(Operand::output).element_bytes();
  if (input.copied || ((input.strip > 1 || is_narrow) && in != schedule.in)) {
    stages.copy_input =
        plan_strip_copy(kernel.elements, kernel.layouts.input, computation, spec.lowering.input);
  } else if (in != schedule.in) {
    stages.fill_input = transposition(input, in);
  }
  if (layout_in_loops(computation, schedule, nest, Operand::output) != schedule.out)
    stages.empty_output = transposition(computation.tensor(Operand::output), schedule.out);
  const TensorAccess& output = computation.tensor(Operand::output);
  if (output.copied || kernel.zero_points.differ_by_pixel())
    stages.conversion = OutputConversion{.sums = output.type,
                                         .output = kernel.source.types.output,
                                         .rows = output_rows(kernel.elements, schedule.out),
                                         .epilogue = kernel.source.epilogue};
  const Dim vectorised = kernel.winograd ? computation.dim("k") : nest.vectorised;
  stages.padding = unwritten_padding(computation, spec.lowering.output, vectorised);
  return stages;
}

void provide_scratch(const CompiledKernel& kernel, const TreeSpec& spec) {
  const auto bytes = [&](Operand operand, std::int64_t elements) {
    return static_cast<std::size_t>(elements * kernel.computation.tensor(operand).element_bytes());
  };
  const bool fills = kernel.stages.fill_input || kernel.stages.copy_input;
  const std::size_t staged =
      kernel.stages.empty_output ? bytes(Operand::output, spec.lowering.output.elements) : 0;
  kernel.scratch.boxes.emplace(static_cast<std::size_t>(kernel.tree.boxes_bytes));
  kernel.scratch.inputs.emplace(fills ? bytes(Operand::input, spec.lowering.input.elements) : 0);
  kernel.scratch.outputs.emplace(staged);
  const auto& conversion = kernel.stages.conversion;
  kernel.scratch.residuals.emplace(kernel.source.epilogue.add && !conversion ? staged : 0);
  kernel.scratch.sums.emplace(conversion && !conversion->in_place()
                                  ? bytes(Operand::output, kernel.layouts.output.elements)
                                  : 0);
  kernel.scratch.biases.emplace(
      kernel.has_own_bias() ? bytes(Operand::output, bias_layout(kernel.computation, true).elements)
                            : 0);
  const ZeroPoints& points = kernel.zero_points;
  const std::int64_t sums =
      points.of_weights ? points.channel_sums.sums() + points.input_sums() : 0;
  kernel.scratch.input_sums.emplace(static_cast<std::size_t>(sums) * sizeof(std::int32_t));
}

/// Returns true when channels have scales and each product of a batch has its own bias. Because the
/// loops find scales by their distance from the bias, each product would need a copy of the scales.
bool repeats_scales(const CompiledKernel& kernel) {
  return kernel.source.epilogue.quantisation.scales == Granularity::channel &&
         bias_layout(kernel.computation, true).elements != bias_layout(kernel.computation).elements;
}

/// Returns the conversion of finished sums inside the loops, or nothing when the sums need none or
/// a separate pass after the loops converts them.
std::optional<ConvertedOutput> conversion_in_loops(const CompiledKernel& kernel, const Nest& nest,
                                                   const VectorUnit& unit) {
  const Epilogue& epilogue = kernel.source.epilogue;
  const ElementType type = kernel.source.types.output;
  const bool sums_only = epilogue.alpha == 1 && epilogue.beta == 0 && !epilogue.add;
  const Layout written =
      layout_in_loops(kernel.computation, kernel.source.schedule, nest, Operand::output);
  if (!sums_only || written != kernel.source.schedule.out || kernel.zero_points.differ_by_pixel() ||
      repeats_scales(kernel) ||
      !converts_in_registers(kernel.computation, kernel.source.schedule, nest, unit))
    return std::nullopt;
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const Quantisation& numbers = epilogue.quantisation;
  const bool is_real = type != ElementType::u8 && type != ElementType::s8;
  const double least = is_real ? -kNoLimit : type == ElementType::u8 ? 0 : -128;
  return ConvertedOutput{.type = type,
                         .channel_scales = numbers.scales == Granularity::channel,
                         .tensor_scale = numbers.scales == Granularity::tensor,
                         .clamps_low = numbers.output_zero_point || epilogue.low > least,
                         .clamps_high = !is_real || epilogue.high < kNoLimit,
                         .adds_zero_point = numbers.output_zero_point};
}

/// Returns the epilogue that the loops apply to finished sums. If the sums are converted or
/// corrected afterwards, that step adds the residual and applies the limits.
Epilogue loop_epilogue(const CompiledKernel& kernel) {
  Epilogue epilogue = kernel.source.epilogue;
  if (kernel.computation.tensor(Operand::output).copied || kernel.zero_points.differ_by_pixel())
    epilogue = {.alpha = epilogue.alpha, .beta = epilogue.beta, .bias = epilogue.bias};
  epilogue.bias = epilogue.bias || kernel.has_own_bias();
  return epilogue;
}

/// Sets the members that follow from `plan` and its computation `read`: the source, the loop
/// types, the computations, the layouts of the caller's tensors, the number of corrections and the
/// zero points.
void take_plan(const Plan& plan, std::size_t rank, Computation read, CompiledKernel& kernel) {
  const Schedule& schedule = plan.candidates[rank].schedule;
  const VectorUnit& unit = unit_of(schedule, plan.machine);
  kernel.source = {.problem = plan.problem,
                   .schedule = schedule,
                   .epilogue = plan.options.epilogue,
                   .isa = unit.isa,
                   .types = types_of(plan.problem)};
  kernel.loop_types = loop_types(kernel.source.types, unit);
  kernel.elements = std::move(read);
  const Computation& elements = kernel.elements;
  kernel.computation = in_strips(elements, kernel.loop_types);
  kernel.loop_types.strip = kernel.computation.products;
  kernel.layouts = {.input = layout_of(elements, Operand::input, schedule.in),
                    .weights = layout_of(elements, Operand::weights, Layout::plain),
                    .output = layout_of(elements, Operand::output, schedule.out),
                    .bias = bias_layout(elements)};
  kernel.corrections = static_cast<std::size_t>(bias_layout(kernel.computation, true).elements);
  kernel.zero_points =
      zero_points_of(elements, kernel.layouts.input, kernel.source.epilogue.quantisation);
}

using TreeFunction = LoopTree (*)(const Computation&, const Nest&, const TreeSpec&);

/// Compiles candidate `rank` of `plan`. `read` is the computation of plan.problem, and `tree_of`
/// makes the tree of the loops. Requires: `plan` has the candidate, and require_compilable()
/// accepted it if the kernel will run.
std::shared_ptr<const CompiledKernel> assemble(const Plan& plan, std::size_t rank, Computation read,
                                               TreeFunction tree_of = build_tree) {
  auto compiled = std::make_shared<CompiledKernel>();
  CompiledKernel& kernel = *compiled;
  take_plan(plan, rank, std::move(read), kernel);
  const Computation& computation = kernel.computation;
  const Schedule& schedule = kernel.source.schedule;
  const Isa isa = kernel.source.isa;
  const int lanes = lanes_of(isa, kernel.loop_types.sums);
  if (schedule.winograd)
    kernel.winograd = winograd_convolution(computation, schedule, lanes, Addressing::by_pointer);
  const Computation& in_loops = kernel.winograd ? kernel.winograd->products : computation;
  const Nest nest = resolve(schedule, in_loops, lanes);
  check_winograd_nest(in_loops, nest, schedule, lanes);
  const VectorUnit& unit = unit_of(schedule, plan.machine);
  if (!kernel.winograd) kernel.stages.converted = conversion_in_loops(kernel, nest, unit);
  TreeSpec spec = tree_spec(computation, schedule, nest, isa, loop_epilogue(kernel));
  spec.winograd = kernel.winograd;
  spec.product = product_code(kernel.loop_types, unit.dots);
  spec.bias_per_batch = kernel.has_own_bias();
  spec.converted = kernel.stages.converted;
  kernel.stages = stages_of(kernel, nest, spec);
  kernel.tree = tree_of(in_loops, nest, spec);
  if (schedule.nontemporal) {
    spec.lowering.nontemporal = false;
    kernel.cached_tree = tree_of(in_loops, nest, spec);
  }
  kernel.order = kernel.tree.weights.fingerprint();
  kernel.threads = static_cast<int>(
      std::clamp<std::int64_t>(kernel.tree.tasks(), 1, std::max(plan.options.threads, 1)));
  provide_scratch(kernel, spec);
  return compiled;
}

std::shared_ptr<const CompiledKernel> check_and_assemble(const Plan& plan, std::size_t rank) {
  validate(plan.problem);
  check_planned(types_of(plan.problem));
  check_epilogue(plan.options.epilogue, types_of(plan.problem));
  require_compilable(plan, rank);
  return assemble(plan, rank, computation_of(plan.problem, plan.candidates[rank].schedule));
}

}  // namespace

Kernel compile(const Plan& plan, std::size_t rank) {
  return Kernel(check_and_assemble(plan, rank));
}

std::shared_ptr<const CompiledKernel> compile_shared(const Plan& plan) {
  return check_and_assemble(plan, 0);
}

Kernel compile_read(const Plan& plan, const Computation& computation) {
  require_compilable(plan, 0);
  return Kernel(assemble(plan, 0, computation));
}

std::size_t code_bytes(const Plan& plan) {
  require_compilable(plan, 0);
  const auto compiled =
      assemble(plan, 0, computation_of(plan.problem, plan.candidates.front().schedule));
  std::size_t bytes = 0;
  for (const MicrokernelCall& call : compiled->tree.calls) bytes += call.kernel->code_bytes();
  return bytes;
}

std::optional<KernelMemory> kernel_memory(const Plan& plan, std::size_t rank,
                                          const Computation& read) {
  const Schedule& schedule = plan.candidates.at(rank).schedule;
  if (unit_of(schedule, plan.machine).isa == Isa::neon) return std::nullopt;
  const auto compiled = assemble(plan, rank, read, memory_of_tree);
  const CompiledKernel::Scratch& scratch = compiled->scratch;
  KernelMemory memory{.thread_scratch = scratch.boxes->bytes()};
  if (!schedule.takes_plain_weights())
    memory.packed_weights = compiled->packed_elements() *
                            static_cast<std::size_t>(bytes_of(compiled->loop_types.weights));
  for (const auto* const pool : {&scratch.inputs, &scratch.outputs, &scratch.residuals,
                                 &scratch.sums, &scratch.biases, &scratch.input_sums})
    memory.run_scratch += (*pool)->bytes();
  return memory;
}

std::size_t Kernel::input_size() const { return size_of(compiled_->layouts.input); }
std::size_t Kernel::weights_size() const { return size_of(compiled_->layouts.weights); }
std::size_t Kernel::output_size() const { return size_of(compiled_->layouts.output); }
std::size_t Kernel::bias_size() const { return size_of(compiled_->layouts.bias); }
const Schedule& Kernel::schedule() const { return compiled_->source.schedule; }
const Problem& Kernel::problem() const { return compiled_->source.problem; }
const Epilogue& Kernel::epilogue() const { return compiled_->source.epilogue; }
Isa Kernel::isa() const { return compiled_->source.isa; }
TensorTypes Kernel::types() const { return compiled_->source.types; }
int Kernel::threads() const { return compiled_->threads; }

Packed Kernel::pack_weights(const ConstElements& weights, const ConstElements& zero_points) const {
  Packed packed(0);
  pack(*compiled_, weights, zero_points, packed);
  return packed;
}

void Kernel::pack_weights(const ConstElements& weights, Packed& packed,
                          const ConstElements& zero_points) const {
  pack(*compiled_, weights, zero_points, packed);
}

void Kernel::run(const ConstElements& input, const RunWeights& weights, const Elements& output,
                 const Addends& addends) const {
  run(input, weights, output, addends, run_tasks);
}

void Kernel::run(const ConstElements& input, const RunWeights& weights, const Elements& output,
                 const Addends& addends, const Executor& executor) const {
  check_and_run(*this, *compiled_, {input, weights, output, addends}, executor);
}

}  // namespace tileplan
