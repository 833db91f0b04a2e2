// SPDX-License-Identifier: Apache-2.0
// This file checks the arguments of emit_c(), and chooses the loops and the stages of the C code.
#include <algorithm>
#include <cctype>

#include "emit_functions.h"
#include "emit_header.h"
#include "emit_kernel.h"
#include "emit_parts.h"
#include "emit_stages.h"
#include "emitted_schedule.h"
#include "merge_dims.h"
#include "option_rules.h"
#include "target.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

bool is_identifier(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// Returns the vectors and dot products that determine the strips of the emitted loops. Scalar C
/// uses strips of the size that AVX2 has.
VectorUnit unit_of(const Schedule& schedule, const EmitOptions& options) {
  const Isa isa = isa_of(options.target).value_or(Isa::avx2);
  VectorUnit unit{.isa = isa, .dots = isa == Isa::avx2 ? DotProducts{} : options.dots};
  unit.dots.fused_conversions = false;
  unit.dots.widens_bf16 = schedule.widen;
  return unit;
}

/// Throws Error for relations of other types than f32 and f64. The loops of kernels for most other
/// types differ from the relation, because they run over strips.
void check_emitted(const Problem& problem) {
  const TensorTypes types = types_of(problem);
  if (std::holds_alternative<Relation>(problem) && types != ElementType::f32 &&
      types != ElementType::f64)
    throw Error("emit: relations of " + to_string(types) + " have no kernels; must be f32 or f64");
}

/// Emits the schedule of a kernel for which has_stages() is true. Stages around its loops copy or
/// convert the tensors that the loops cannot access as they are.
EmittedC emit_with_stages(const Computation& elements, const Schedule& schedule,
                          const EmitOptions& options) {
  const LoopTypes types = loop_types(types_of(elements.problem), unit_of(schedule, options));
  const Computation loops = in_strips(elements, types);
  const StagePlan stages = plan_stages(elements, loops, types, schedule, options.epilogue);
  const Schedule emitted = as_emitted(loops, schedule, options.target, &stages);
  const LoopProgram program = lowered(elements, loops, emitted, options.target, &stages);
  const EmitContext context{.computation = loops,
                            .program = program,
                            .lanes = lanes_of(options.target, types.sums),
                            .prefetch = emitted.prefetch,
                            .epilogue = loop_epilogue(stages),
                            .keep_operands = has_memory_operands(options.target),
                            .stages = &stages};
  const std::string source = emit_functions(context, emitted, options, {}).source;
  return {.source = source,
          .header = header_of(source),
          .schedule = emitted,
          .notes = notes_on(schedule, emitted)};
}

}  // namespace

void check_c_name(const std::string& name) {
  if (!is_identifier(name)) throw Error("emit: name '" + name + "'; must be a C identifier");
}

EmittedC emit_c(const Problem& problem, const Schedule& schedule, const EmitOptions& options) {
  return emit_kernel(problem, schedule, options).c;
}

EmittedKernel emit_kernel(const Problem& problem, const Schedule& schedule,
                          const EmitOptions& options, const std::string& scratch) {
  check_target(schedule, options.target);
  check_emitted(problem);
  check_epilogue(options.epilogue, types_of(problem));
  check_c_name(options.name);
  const Computation given = computation_of(problem, schedule);
  if (has_stages(types_of(problem))) return {.c = emit_with_stages(given, schedule, options)};
  const int lanes = lanes_of(options.target, given.tensor(Operand::output).type);
  std::optional<WinogradConvolution> winograd;
  if (schedule.winograd)
    winograd = winograd_convolution(given, schedule, lanes, Addressing::by_index);
  const Computation& computation = winograd ? winograd->products : given;
  const Schedule emitted = as_emitted(computation, schedule, options.target, nullptr);
  const LoopProgram program = lowered(given, computation, emitted, options.target, nullptr);
  const EmitContext context{.computation = computation,
                            .program = program,
                            .lanes = lanes,
                            .prefetch = emitted.prefetch,
                            .epilogue = winograd ? Epilogue{} : options.epilogue,
                            .winograd = winograd ? &*winograd : nullptr,
                            .keep_operands = has_memory_operands(options.target)};
  const EmittedFunctions functions = emit_functions(context, emitted, options, scratch);
  return {.c = {.source = functions.source,
                .header = header_of(functions.source),
                .schedule = emitted,
                .notes = notes_on(schedule, emitted)},
          .computation = given,
          .winograd = winograd,
          .weights = program.weights,
          .takes_packed = context.is_packed(),
          .scratch = functions.scratch,
          .declaration = functions.declaration};
}

}  // namespace tileplan
