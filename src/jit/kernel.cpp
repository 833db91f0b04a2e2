// SPDX-License-Identifier: Apache-2.0
// compile(): a plan's schedule as a loop tree over assembled microkernels; sizes are checked once,
// at the door.
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

/// The addends that `epilogue` has, and no others.
template <class Number>
void check_addends(const Epilogue& epilogue, const AddendsOf<Number>& addends,
                   const Kernel& kernel) {
  require_size("bias", addends.bias.size(), epilogue.bias ? kernel.bias_size() : 0);
  require_size("residual", addends.residual.size(), epilogue.add ? kernel.output_size() : 0);
}

/// A split reduction leaves partial sums in the output before the residual is read.
template <class Number>
void check_apart(std::span<const Number> residual, std::span<Number> output) {
  const std::less<const Number*> before;
  if (!residual.empty() && before(residual.data(), output.data() + output.size()) &&
      before(output.data(), residual.data() + residual.size()))
    throw Error("residual: overlaps the output; must not, accumulate adds to the output");
}

/// Streaming stores fault on an address that is not a vector's.
bool is_aligned(const void* output, Isa isa) {
  const auto bytes = static_cast<std::size_t>(vector_bytes_of(isa));
  return reinterpret_cast<std::uintptr_t>(output) % bytes == 0;
}

/// What brings an activation of a convolution, data dims [n, g, c, pixels...], into `to`: nhwc from
/// nchw, or the other way round.
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
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;
  Problem problem;
  Schedule schedule;
  Epilogue epilogue;
  Computation computation;
  TensorLayout input, weights, output, bias;
  LoopTree tree;
  std::optional<LoopTree> cached_tree;  ///< of schedules with nt: the same with ordinary stores
  std::uint64_t order = 0;              ///< of the packed weights
  int threads = 1;                      ///< tasks of one run
  BlockPadding padding;                 ///< of the output, written by no call
  std::optional<Transposition> into;    ///< of the input, before the loops
  std::optional<Transposition> back;    ///< of the output, after the loops
  // Scratch memory is no state that a run could see.
  mutable std::optional<ScratchPool> boxes;      ///< packed input, one per running thread
  mutable std::optional<ScratchPool> inputs;     ///< inputs after the transposition
  mutable std::optional<ScratchPool> staging;    ///< outputs before the transposition
  mutable std::optional<ScratchPool> residuals;  ///< in the layout that the loops write

  const LoopTree& tree_for(const void* out) const {
    return cached_tree && !is_aligned(out, isa) ? *cached_tree : tree;
  }
  /// Equal shares of `all` iterations, to within one.
  Share share(int task, std::int64_t all) const {
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
};

namespace {

/// The tensors of the output's shape as the loops see them: the caller's, or copies in the layout
/// that the loops write.
template <class Number>
class Staging {
 public:
  Staging(const CompiledKernel& kernel, const Executor& executor, std::span<Number> output,
          std::span<const Number> residual)
      : kernel_(kernel),
        executor_(executor),
        output_copy_(kernel.staging->lease()),
        residual_copy_(kernel.residuals->lease()),
        output_(output.data()),
        residual_(residual.data()) {
    if (!kernel.back) return;
    const Transposition into{
        .images = kernel.back->images, .rows = kernel.back->columns, .columns = kernel.back->rows};
    output_ = reinterpret_cast<Number*>(output_copy_.data());
    if (kernel.epilogue.accumulate) kernel.transpose_all(executor, into, output.data(), output_);
    if (residual.empty()) return;
    auto* const copy = reinterpret_cast<Number*>(residual_copy_.data());
    kernel.transpose_all(executor, into, residual.data(), copy);
    residual_ = copy;
  }

  Number* output() const { return output_; }
  std::int64_t residual_bytes() const {
    const auto address = [](const Number* at) { return reinterpret_cast<std::intptr_t>(at); };
    return residual_ == nullptr ? 0 : address(residual_) - address(output_);
  }
  void write_back(std::span<Number> output) const {
    if (kernel_.back)
      kernel_.transpose_all<Number>(executor_, *kernel_.back, output_, output.data());
  }

 private:
  const CompiledKernel& kernel_;
  const Executor& executor_;
  const ScratchPool::Lease output_copy_, residual_copy_;
  Number* output_ = nullptr;
  const Number* residual_ = nullptr;
};

using TraceClock = std::chrono::steady_clock;
constexpr const char* kRunStage = "run";

/// Nothing unless runs are traced.
std::optional<TraceClock::time_point> start_of_trace() {
  static const bool traced = is_traced(kRunStage);
  return traced ? std::optional(TraceClock::now()) : std::nullopt;
}

/// The problem comes last: its text may have spaces.
void trace_run(const CompiledKernel& kernel, TraceClock::time_point start) {
  const double seconds = std::chrono::duration<double>(TraceClock::now() - start).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", seconds);
  trace(kRunStage,
        "implementation=jit:" + to_string(kernel.isa) + " layout=" + to_string(kernel.schedule.in) +
            "/" + to_string(kernel.schedule.out) + " threads=" + std::to_string(kernel.threads) +
            " seconds=" + text.data() + " problem=" + to_string(kernel.problem));
}

/// What Kernel::run is given.
template <class Number>
struct RunTensors {
  std::span<const Number> input;
  const Packed& weights;
  std::span<Number> output;
  const AddendsOf<Number>& addends;
};

/// One run on tensors that have been found to fit.
template <class Number>
void run_on(const CompiledKernel& compiled, const RunTensors<Number>& tensors,
            const Executor& executor) {
  const ScratchPool::Lease staged_input = compiled.inputs->lease();
  const Number* read = tensors.input.data();
  if (compiled.into) {
    auto* const staged = reinterpret_cast<Number*>(staged_input.data());
    compiled.transpose_all(executor, *compiled.into, read, staged);
    read = staged;
  }
  const Staging<Number> staging(compiled, executor, tensors.output, tensors.addends.residual);
  const LoopTree& tree = compiled.tree_for(staging.output());
  compiled.share_out(executor, [&](int task) {
    const ScratchPool::Lease box = compiled.boxes->lease();
    execute(tree,
            {.input = reinterpret_cast<const char*>(read),
             .weights = tensors.weights.data(),
             .output = reinterpret_cast<char*>(staging.output()),
             .box = box.data(),
             .bias = reinterpret_cast<const char*>(tensors.addends.bias.data()),
             .residual = staging.residual_bytes()},
            compiled.share(task, tree.tasks()));
    // Streaming stores are not ordered with what tells another thread that the output is there.
    if (compiled.schedule.nontemporal) std::atomic_thread_fence(std::memory_order_seq_cst);
  });
  clear(compiled.padding, staging.output());
  staging.write_back(tensors.output);
}

/// Kernel::run. Throws Error as it does.
template <class Number>
void checked_run(const Kernel& kernel, const CompiledKernel& compiled,
                 const RunTensors<Number>& tensors, const Executor& executor) {
  const auto& [input, weights, output, addends] = tensors;
  require_type("input", element_type<Number>(), compiled.type);
  require_type("packed weights", weights.type(), compiled.type);
  require_size("input", input.size(), kernel.input_size());
  require_size("output", output.size(), kernel.output_size());
  check_addends(compiled.epilogue, addends, kernel);
  check_apart(addends.residual, output);
  if (weights.order() != compiled.order)
    throw Error("packed weights: in the order of another kernel; must be packed by this one");
  require_size("packed weights", weights.size(),
               static_cast<std::size_t>(compiled.tree.weights.elements()));
  if (compiled.threads > 1 && !executor)
    throw Error("executor: empty; must run the " + std::to_string(compiled.threads) +
                " tasks of this kernel");
  const std::optional<TraceClock::time_point> traced = start_of_trace();
  run_on(compiled, tensors, executor);
  if (traced) trace_run(compiled, *traced);
}

template <class Number>
Packed packed(const CompiledKernel& compiled, std::span<const Number> weights) {
  require_type("weights", element_type<Number>(), compiled.type);
  require_size("weights", weights.size(), static_cast<std::size_t>(compiled.weights.elements));
  const WeightsOrder& order = compiled.tree.weights;
  Packed result(static_cast<std::size_t>(order.elements()), compiled.order, compiled.type);
  pack_weights(compiled.computation, order, weights, reinterpret_cast<Number*>(result.data()));
  return result;
}

/// Throws Error when the plan has no candidate `rank` or this CPU does not run it.
void require_compilable(const Plan& plan, std::size_t rank) {
  if (rank >= plan.candidates.size())
    throw Error("compile: candidate " + std::to_string(rank) + "; the plan has " +
                std::to_string(plan.candidates.size()));
  const Isa isa = unit_of(plan.candidates[rank].schedule, plan.machine).isa;
  if (!host_has(isa))
    throw Error("compile: this CPU does not run " + to_string(isa) + "; the plan for " +
                plan.machine.name + " needs it");
}

/// Candidate `rank` of `plan`, its problem read as `read`. Requires: require_compilable.
Kernel assembled(const Plan& plan, std::size_t rank, Computation read) {
  const Isa isa = unit_of(plan.candidates[rank].schedule, plan.machine).isa;
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->isa = isa;
  compiled->problem = plan.problem;
  compiled->type = type_of(plan.problem);
  compiled->schedule = plan.candidates[rank].schedule;
  compiled->epilogue = plan.options.epilogue;
  compiled->computation = std::move(read);
  const Computation& computation = compiled->computation;
  const Schedule& schedule = compiled->schedule;
  compiled->input = layout_of(computation, Operand::input, schedule.in);
  compiled->weights = layout_of(computation, Operand::weights, Layout::plain);
  compiled->output = layout_of(computation, Operand::output, schedule.out);
  compiled->bias = bias_layout(computation);
  const Nest nest = resolve(schedule, computation, lanes_of(isa, compiled->type));
  const auto in_loops = [&](Operand operand) {
    return layout_in_loops(computation, schedule, nest, operand);
  };
  TreeSpec spec = tree_spec(computation, schedule, nest, isa, compiled->epilogue);
  if (const Layout to = in_loops(Operand::input); to != schedule.in)
    compiled->into = transposition(computation.tensor(Operand::input), to);
  if (in_loops(Operand::output) != schedule.out)
    compiled->back = transposition(computation.tensor(Operand::output), schedule.out);
  compiled->tree = build_tree(computation, nest, spec);
  if (schedule.nontemporal) {
    spec.nontemporal = false;
    compiled->cached_tree = build_tree(computation, nest, spec);
  }
  compiled->order = compiled->tree.weights.fingerprint();
  compiled->threads = static_cast<int>(
      std::clamp<std::int64_t>(compiled->tree.tasks(), 1, std::max(plan.options.threads, 1)));
  compiled->padding = unwritten_padding(computation, spec.output, nest.vectorised);
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements * bytes_of(compiled->type));
  };
  compiled->boxes.emplace(bytes(compiled->tree.box_elements));
  compiled->inputs.emplace(compiled->into ? bytes(spec.input.elements) : 0);
  const std::size_t staged = compiled->back ? bytes(spec.output.elements) : 0;
  compiled->staging.emplace(staged);
  compiled->residuals.emplace(compiled->epilogue.add ? staged : 0);
  return Kernel(std::move(compiled));
}

}  // namespace

Kernel compile(const Plan& plan, std::size_t rank) {
  validate(plan.problem);
  check_epilogue(plan.options.epilogue, type_of(plan.problem));
  require_compilable(plan, rank);
  return assembled(plan, rank, computation_of(plan.problem, plan.candidates[rank].schedule));
}

Kernel compile_read(const Plan& plan, const Computation& computation) {
  require_compilable(plan, 0);
  return assembled(plan, 0, computation);
}

std::size_t Kernel::input_size() const {
  return static_cast<std::size_t>(compiled_->input.elements);
}
std::size_t Kernel::weights_size() const {
  return static_cast<std::size_t>(compiled_->weights.elements);
}
std::size_t Kernel::output_size() const {
  return static_cast<std::size_t>(compiled_->output.elements);
}
std::size_t Kernel::bias_size() const { return static_cast<std::size_t>(compiled_->bias.elements); }
const Schedule& Kernel::schedule() const { return compiled_->schedule; }
const Problem& Kernel::problem() const { return compiled_->problem; }
const Epilogue& Kernel::epilogue() const { return compiled_->epilogue; }
Isa Kernel::isa() const { return compiled_->isa; }
ElementType Kernel::type() const { return compiled_->type; }
int Kernel::threads() const { return compiled_->threads; }

Packed Kernel::pack_weights(std::span<const float> weights) const {
  return packed(*compiled_, weights);
}
Packed Kernel::pack_weights(std::span<const double> weights) const {
  return packed(*compiled_, weights);
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
  checked_run<float>(*this, *compiled_, {input, weights, output, addends}, executor);
}
void Kernel::run(std::span<const double> input, const Packed& weights, std::span<double> output,
                 const AddendsF64& addends, const Executor& executor) const {
  checked_run<double>(*this, *compiled_, {input, weights, output, addends}, executor);
}

}  // namespace tileplan
