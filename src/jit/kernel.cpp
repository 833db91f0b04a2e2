// SPDX-License-Identifier: Apache-2.0
// Compiles schedules to loop trees. Each run checks the sizes of the tensors.
#include "tileplan/kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "block_padding.h"
#include "compile.h"
#include "element.h"
#include "loop_tree.h"
#include "merge_dims.h"
#include "nest.h"
#include "option_rules.h"
#include "pack.h"
#include "repack.h"
#include "scratch.h"
#include "tileplan/error.h"
#include "trace.h"
#include "transpose.h"
#include "units.h"

namespace tileplan {
namespace {

std::size_t size_of(const TensorLayout& layout) {
  return static_cast<std::size_t>(layout.elements);
}

void require_size(const char* what, std::size_t got, std::size_t expected) {
  if (got != expected)
    throw Error(std::string(what) + ": " + std::to_string(got) + " elements; this kernel takes " +
                std::to_string(expected));
}

void require_type(const char* what, ElementType got, ElementType expected) {
  if (got != expected)
    throw Error(std::string(what) + ": " + to_string(got) + "; this kernel takes " +
                to_string(expected));
}

/// Throws Error when the tensors overlap, because a split reduction overwrites the output with
/// partial sums before it reads the residual.
template <class Number>
void check_apart(std::span<const Number> residual, std::span<Number> output) {
  const std::less<const Number*> before;
  if (!residual.empty() && before(residual.data(), output.data() + output.size()) &&
      before(output.data(), residual.data() + residual.size()))
    throw Error("residual: overlaps the output; must not, accumulate adds to the output");
}

/// Returns the transposition of an activation [n, g, c, pixels...] to nhwc or nchw, as `to` tells.
Transposition transposition(const TensorAccess& tensor, Layout to) {
  const std::int64_t channels = tensor.data[1].extent * tensor.data[2].extent;
  std::int64_t pixels = 1;
  for (std::size_t i = 3; i < tensor.data.size(); ++i) pixels *= tensor.data[i].extent;
  const bool from_nchw = to == Layout::nhwc;
  return {.images = tensor.data[0].extent,
          .rows = from_nchw ? channels : pixels,
          .columns = from_nchw ? pixels : channels};
}

}  // namespace

struct CompiledKernel {
  struct Source {
    Problem problem;
    Schedule schedule;
    Epilogue epilogue;
    Isa isa = Isa::avx512;
    ElementType type = ElementType::f32;
  };
  struct Layouts {
    TensorLayout input, weights, output, bias;
  };
  /// These stages process whole tensors before and after the loops.
  struct Stages {
    std::optional<Transposition> fill_input, empty_output;
    BlockPadding padding;  ///< No microkernel call writes this padding.
  };
  /// Later runs reuse this memory, but never read what an earlier run wrote.
  struct Scratch {
    std::optional<ScratchPool> boxes;  ///< Each running thread packs its input in one box.
    std::optional<ScratchPool> inputs, outputs,
        residuals;  ///< The copies have the layouts of the loops.
  };

  Source source;
  Computation computation;
  Layouts layouts;
  LoopTree tree;
  std::optional<LoopTree> cached_tree;  ///< Schedules with nt need ordinary stores as well.
  std::uint64_t order = 0;              ///< WeightsOrder::fingerprint() returned this value.
  int threads = 1;                      ///< One run has this many tasks.
  Stages stages;
  mutable Scratch scratch;

  /// Streaming stores fault on an address that is not aligned to vectors.
  const LoopTree& tree_for(const void* out) const {
    const auto bytes = static_cast<std::uintptr_t>(vector_bytes_of(source.isa));
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(out) % bytes == 0;
    return cached_tree && !is_aligned ? *cached_tree : tree;
  }
  /// Returns the iterations of one task. Two tasks differ by at most one iteration.
  TaskRange share(int task, std::int64_t all) const {
    return {.first = all * task / threads, .last = all * (task + 1) / threads};
  }
  void share_out(const Executor& executor, const std::function<void(int)>& task) const {
    if (threads == 1) return task(0);
    executor(threads, task);
  }
  template <class Number>
  void transpose_all(const Executor& executor, const Transposition& shape, const Number* from,
                     Number* to) const {
    share_out(executor, [&](int task) { transpose(shape, from, to, share(task, shape.columns)); });
  }
  /// Runs the loops on `tensors`, which have the layouts of the loops. Each task has its own box.
  void run_loops(const Executor& executor, const Buffers& tensors) const {
    const LoopTree& chosen = tree_for(tensors.output);
    share_out(executor, [&](int task) {
      const ScratchPool::Lease box = scratch.boxes->lease();
      Buffers own = tensors;
      own.box = box.data();
      execute(chosen, own, share(task, chosen.tasks()));
      // Streaming stores must become visible to other threads before later ordinary stores.
      if (source.schedule.nontemporal) std::atomic_thread_fence(std::memory_order_seq_cst);
    });
  }
};

namespace {

/// Returns the distance in bytes from one tensor to another.
std::int64_t distance(const void* from, const void* to) {
  return reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from);
}

/// Writes the problem at the end of the line, because its text may contain spaces.
void trace_run(const CompiledKernel& kernel, std::chrono::duration<double> time) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.4g", time.count());
  const CompiledKernel::Source& source = kernel.source;
  trace("run", "implementation=jit:" + to_string(source.isa) +
                   " layout=" + to_string(source.schedule.in) + "/" +
                   to_string(source.schedule.out) + " threads=" + std::to_string(kernel.threads) +
                   " seconds=" + seconds.data() + " problem=" + to_string(source.problem));
}

/// Holds the arguments of Kernel::run.
template <class Number>
struct RunTensors {
  std::span<const Number> input;
  const Packed& weights;
  std::span<Number> output;
  const AddendsOf<Number>& addends;
};

/// Runs the loops on the caller's tensors, or on copies in the layouts of the loops. Requires: the
/// tensors have the sizes that the problem needs.
template <class Number>
void run_on(const CompiledKernel& compiled, const RunTensors<Number>& tensors,
            const Executor& executor) {
  const ScratchPool::Lease input_copy = compiled.scratch.inputs->lease(),
                           output_copy = compiled.scratch.outputs->lease(),
                           residual_copy = compiled.scratch.residuals->lease();
  const auto copied = [&](const Transposition& shape, const Number* from, char* copy) {
    auto* const to = reinterpret_cast<Number*>(copy);
    if (from != nullptr) compiled.transpose_all(executor, shape, from, to);
    return to;
  };
  const Epilogue& epilogue = compiled.source.epilogue;
  const auto& [fill, back, padding] = compiled.stages;
  const Number *input = tensors.input.data(), *residual = tensors.addends.residual.data();
  Number* output = tensors.output.data();
  if (fill) input = copied(*fill, input, input_copy.data());
  if (back) {
    const Transposition into{.images = back->images, .rows = back->columns, .columns = back->rows};
    output = copied(into, epilogue.accumulate ? output : nullptr, output_copy.data());
    if (epilogue.add) residual = copied(into, residual, residual_copy.data());
  }
  const auto bytes = [](const Number* at) { return reinterpret_cast<const char*>(at); };
  compiled.run_loops(executor, {.input = bytes(input),
                                .weights = tensors.weights.data(),
                                .output = reinterpret_cast<char*>(output),
                                .bias = bytes(tensors.addends.bias.data()),
                                .residual = epilogue.add ? distance(output, residual) : 0});
  clear(padding, output);
  if (back) compiled.transpose_all<Number>(executor, *back, output, tensors.output.data());
}

/// Runs the kernel. Throws Error as Kernel::run does.
template <class Number>
void check_and_run(const Kernel& kernel, const CompiledKernel& compiled,
                   const RunTensors<Number>& tensors, const Executor& executor) {
  const auto& [input, weights, output, addends] = tensors;
  require_type("input", element_type<Number>(), compiled.source.type);
  require_type("packed weights", weights.type(), compiled.source.type);
  require_size("input", input.size(), kernel.input_size());
  require_size("output", output.size(), kernel.output_size());
  const Epilogue& epilogue = compiled.source.epilogue;
  require_size("bias", addends.bias.size(), epilogue.bias ? kernel.bias_size() : 0);
  require_size("residual", addends.residual.size(), epilogue.add ? kernel.output_size() : 0);
  check_apart(addends.residual, output);
  if (weights.order() != compiled.order)
    throw Error("packed weights: in the order of another kernel; must be packed by this one");
  require_size("packed weights", weights.size(),
               static_cast<std::size_t>(compiled.tree.weights.elements()));
  if (compiled.threads > 1 && !executor)
    throw Error("executor: empty; must run the " + std::to_string(compiled.threads) +
                " tasks of this kernel");
  static const bool traced = is_traced("run");
  if (!traced) return run_on(compiled, tensors, executor);
  const auto start = std::chrono::steady_clock::now();
  run_on(compiled, tensors, executor);
  trace_run(compiled, std::chrono::steady_clock::now() - start);
}

template <class Number>
Packed pack(const CompiledKernel& compiled, std::span<const Number> weights) {
  require_type("weights", element_type<Number>(), compiled.source.type);
  require_size("weights", weights.size(), size_of(compiled.layouts.weights));
  const WeightsOrder& order = compiled.tree.weights;
  Packed result(static_cast<std::size_t>(order.elements()), compiled.order, compiled.source.type);
  pack_weights(compiled.computation, order, weights, reinterpret_cast<Number*>(result.data()));
  return result;
}

/// Throws Error when the plan has no candidate `rank` or this CPU cannot execute the candidate.
void require_compilable(const Plan& plan, std::size_t rank) {
  if (rank >= plan.candidates.size())
    throw Error("compile: candidate " + std::to_string(rank) + "; the plan has " +
                std::to_string(plan.candidates.size()));
  const Isa isa = unit_of(plan.candidates[rank].schedule, plan.machine).isa;
  if (!host_has(isa))
    throw Error("compile: this CPU does not run " + to_string(isa) + "; the plan for " +
                plan.machine.name + " needs it");
}

/// Returns the stages that transpose the caller's layouts into those of the loops and back.
CompiledKernel::Stages stages_of(const CompiledKernel& kernel, const Nest& nest,
                                 const TreeSpec& spec) {
  const Computation& computation = kernel.computation;
  const Schedule& schedule = kernel.source.schedule;
  CompiledKernel::Stages stages;
  const Layout in = layout_in_loops(computation, schedule, nest, Operand::input);
  if (in != schedule.in) stages.fill_input = transposition(computation.tensor(Operand::input), in);
  if (layout_in_loops(computation, schedule, nest, Operand::output) != schedule.out)
    stages.empty_output = transposition(computation.tensor(Operand::output), schedule.out);
  stages.padding = unwritten_padding(computation, spec.lowering.output, nest.vectorised);
  return stages;
}

void provide_scratch(const CompiledKernel& kernel, const TreeSpec& spec) {
  const auto bytes = [&](Operand operand, std::int64_t elements) {
    return static_cast<std::size_t>(elements * kernel.computation.tensor(operand).element_bytes());
  };
  const bool fills = kernel.stages.fill_input.has_value();
  const std::size_t staged =
      kernel.stages.empty_output ? bytes(Operand::output, spec.lowering.output.elements) : 0;
  kernel.scratch.boxes.emplace(bytes(Operand::input, kernel.tree.box_elements));
  kernel.scratch.inputs.emplace(fills ? bytes(Operand::input, spec.lowering.input.elements) : 0);
  kernel.scratch.outputs.emplace(staged);
  kernel.scratch.residuals.emplace(kernel.source.epilogue.add ? staged : 0);
}

/// Compiles candidate `rank` of `plan`, whose problem is `read`. Requires: it is compilable.
Kernel assemble(const Plan& plan, std::size_t rank, Computation read) {
  auto compiled = std::make_shared<CompiledKernel>();
  CompiledKernel& kernel = *compiled;
  const Schedule& schedule = plan.candidates[rank].schedule;
  const Isa isa = unit_of(schedule, plan.machine).isa;
  kernel.computation = std::move(read);
  const Computation& computation = kernel.computation;
  kernel.source = {.problem = plan.problem,
                   .schedule = schedule,
                   .epilogue = plan.options.epilogue,
                   .isa = isa,
                   .type = computation.tensor(Operand::output).type};
  kernel.layouts = {.input = layout_of(computation, Operand::input, schedule.in),
                    .weights = layout_of(computation, Operand::weights, Layout::plain),
                    .output = layout_of(computation, Operand::output, schedule.out),
                    .bias = bias_layout(computation)};
  const Nest nest = resolve(schedule, computation, lanes_of(isa, kernel.source.type));
  TreeSpec spec = tree_spec(computation, schedule, nest, isa, kernel.source.epilogue);
  kernel.stages = stages_of(kernel, nest, spec);
  kernel.tree = build_tree(computation, nest, spec);
  if (schedule.nontemporal) {
    spec.lowering.nontemporal = false;
    kernel.cached_tree = build_tree(computation, nest, spec);
  }
  kernel.order = kernel.tree.weights.fingerprint();
  kernel.threads = static_cast<int>(
      std::clamp<std::int64_t>(kernel.tree.tasks(), 1, std::max(plan.options.threads, 1)));
  provide_scratch(kernel, spec);
  return Kernel(std::move(compiled));
}

}  // namespace

Kernel compile(const Plan& plan, std::size_t rank) {
  validate(plan.problem);
  check_epilogue(plan.options.epilogue, type_of(plan.problem));
  require_compilable(plan, rank);
  return assemble(plan, rank, computation_of(plan.problem, plan.candidates[rank].schedule));
}

Kernel compile_read(const Plan& plan, const Computation& computation) {
  require_compilable(plan, 0);
  return assemble(plan, 0, computation);
}

std::size_t Kernel::input_size() const { return size_of(compiled_->layouts.input); }
std::size_t Kernel::weights_size() const { return size_of(compiled_->layouts.weights); }
std::size_t Kernel::output_size() const { return size_of(compiled_->layouts.output); }
std::size_t Kernel::bias_size() const { return size_of(compiled_->layouts.bias); }
const Schedule& Kernel::schedule() const { return compiled_->source.schedule; }
const Problem& Kernel::problem() const { return compiled_->source.problem; }
const Epilogue& Kernel::epilogue() const { return compiled_->source.epilogue; }
Isa Kernel::isa() const { return compiled_->source.isa; }
ElementType Kernel::type() const { return compiled_->source.type; }
int Kernel::threads() const { return compiled_->threads; }

Packed Kernel::pack_weights(std::span<const float> weights) const {
  return pack(*compiled_, weights);
}
Packed Kernel::pack_weights(std::span<const double> weights) const {
  return pack(*compiled_, weights);
}

void Kernel::run(std::span<const float> input, const Packed& weights, std::span<float> output,
                 const Addends& addends) const {
  run(input, weights, output, addends, run_tasks);
}
void Kernel::run(std::span<const double> input, const Packed& weights, std::span<double> output,
                 const AddendsF64& addends) const {
  run(input, weights, output, addends, run_tasks);
}

void Kernel::run(std::span<const float> input, const Packed& weights, std::span<float> output,
                 const Addends& addends, const Executor& executor) const {
  check_and_run<float>(*this, *compiled_, {input, weights, output, addends}, executor);
}
void Kernel::run(std::span<const double> input, const Packed& weights, std::span<double> output,
                 const AddendsF64& addends, const Executor& executor) const {
  check_and_run<double>(*this, *compiled_, {input, weights, output, addends}, executor);
}

}  // namespace tileplan
