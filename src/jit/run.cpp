// SPDX-License-Identifier: Apache-2.0
// Runs a compiled kernel: copies in front of the loops, the loops, and conversions after them.
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "compiled_kernel.h"
#include "tileplan/error.h"
#include "trace.h"

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

const char* end_of(const ConstElements& tensor) {
  return tensor.data() + tensor.size() * static_cast<std::size_t>(bytes_of(tensor.type()));
}

/// Throws Error when the tensors overlap, because a split reduction overwrites the output with
/// partial sums before it reads the residual.
void check_apart(const ConstElements& residual, const ConstElements& output) {
  const std::less<const char*> before;
  if (!residual.empty() && before(residual.data(), end_of(output)) &&
      before(output.data(), end_of(residual)))
    throw Error("residual: overlaps the output; must not, accumulate and beta add to the output");
}

/// Returns the distance in bytes from one tensor to another.
std::int64_t distance(const void* from, const void* to) {
  return reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from);
}

/// Writes one trace line. The problem comes last, because its text may contain spaces.
void trace_run(const CompiledKernel& kernel, std::chrono::duration<double> time) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.4g", time.count());
  const CompiledKernel::Source& source = kernel.source;
  trace("run", "implementation=jit:" + to_string(source.isa) +
                   " layout=" + to_string(source.schedule.in) + "/" +
                   to_string(source.schedule.out) + " threads=" + std::to_string(kernel.threads) +
                   " seconds=" + seconds.data() + " problem=" + to_string(source.problem));
}

/// Runs a kernel on the tensors of the caller, or on copies where the loops need other layouts or
/// types. Requires: the tensors have the types and sizes that the problem needs.
class Run {
 public:
  Run(const CompiledKernel& compiled, const RunTensors& tensors, const Executor& executor)
      : compiled_(compiled), tensors_(tensors), executor_(executor) {}

  void run() const {
    CompiledKernel::Scratch& scratch = compiled_.scratch;
    const ScratchPool::Lease input = scratch.inputs->lease(), output = scratch.outputs->lease(),
                             residual = scratch.residuals->lease(), sums = scratch.sums->lease(),
                             bias = scratch.biases->lease();
    const auto& [fill, back, copy, conversion, padding] = compiled_.stages;
    Buffers buffers{.input = filled_input(input.data()),
                    .weights = tensors_.weights.data(),
                    .output = conversion ? sums.data() : tensors_.output.data(),
                    .bias = full_bias(bias.data())};
    const char* added = loops_add() ? tensors_.addends.residual.data() : nullptr;
    char* const target = buffers.output;
    if (back) {
      const Transposition into{
          .images = back->images, .rows = back->columns, .columns = back->rows};
      if (compiled_.source.epilogue.beta != 0) transpose(into, target, output.data());
      if (added != nullptr) transpose(into, added, residual.data());
      buffers.output = output.data();
      added = added == nullptr ? nullptr : residual.data();
    }
    if (added != nullptr) buffers.residual = distance(buffers.output, added);
    compiled_.run_loops(executor_, buffers);
    clear_padding(buffers.output);
    if (back) transpose(*back, buffers.output, target);
    if (conversion) convert(*conversion, target);
  }

 private:
  void transpose(const Transposition& shape, const char* from, char* to) const {
    compiled_.transpose_all(executor_, shape, from, to);
  }

  /// Returns the input of the loops: that of the caller, or a copy in `memory`.
  const char* filled_input(char* memory) const {
    const char* const given = tensors_.input.data();
    const CompiledKernel::Stages& stages = compiled_.stages;
    if (stages.copy_input) {
      compiled_.share_out(executor_, [&](int task) {
        copy_strips(*stages.copy_input, given, memory,
                    compiled_.share(task, stages.copy_input->lines));
      });
      return memory;
    }
    if (!stages.fill_input) return given;
    transpose(*stages.fill_input, given, memory);
    return memory;
  }

  bool loops_add() const { return compiled_.source.epilogue.add && !compiled_.stages.conversion; }

  /// Returns the bias of the loops, which is the sum of the corrections of the packed weights and
  /// the caller's bias.
  const char* full_bias(char* memory) const {
    const Packed* const packed = tensors_.weights.packed();
    const ConstElements& bias = tensors_.addends.bias;
    if (packed == nullptr || packed->corrections().empty()) return bias.data();
    const std::vector<std::int32_t>& corrections = packed->corrections();
    if (bias.empty()) return reinterpret_cast<const char*>(corrections.data());
    const auto* const added = reinterpret_cast<const std::uint32_t*>(bias.data());
    auto* const sums = reinterpret_cast<std::uint32_t*>(memory);
    for (std::size_t i = 0; i < corrections.size(); ++i)  // A batch repeats the bias.
      sums[i] = static_cast<std::uint32_t>(corrections[i]) + added[i % bias.size()];
    return memory;
  }

  void clear_padding(char* output) const {
    with_size(compiled_.computation.tensor(Operand::output).element_bytes(), [&](auto zero) {
      clear(compiled_.stages.padding, reinterpret_cast<decltype(zero)*>(output));
    });
  }

  void convert(const OutputConversion& conversion, const char* sums) const {
    constexpr float kOne = 1;
    const Requantisation& given = tensors_.addends.requantisation;
    const char* const scales = given.scales.data();
    const ConvertedTensors converted{
        .sums = sums,
        .residual = tensors_.addends.residual.data(),
        .output = tensors_.output.data(),
        .scales = given.scales.empty() ? &kOne : reinterpret_cast<const float*>(scales),
        .has_channel_scales = given.scales.size() > 1,
        .residual_scale = given.residual_scale,
        .zero_point = given.zero_point};
    compiled_.share_out(executor_, [&](int task) {
      convert_outputs(conversion, converted, compiled_.share(task, conversion.rows.rows));
    });
  }

  const CompiledKernel& compiled_;
  const RunTensors& tensors_;
  const Executor& executor_;
};

std::size_t packed_elements(const CompiledKernel& compiled) {
  return static_cast<std::size_t>(compiled.tree.weights.elements() * compiled.loop_types.strip);
}

/// Throws Error when the weights do not have the form that the kernel takes.
void check_weights(const Kernel& kernel, const CompiledKernel& compiled,
                   const RunWeights& weights) {
  const Packed* const packed = weights.packed();
  if (compiled.source.schedule.takes_plain_weights()) {
    if (packed != nullptr) throw Error("weights: packed; this kernel takes plain weights");
    return require_tensor("weights", weights.plain(), compiled.source.types.weights,
                          kernel.weights_size());
  }
  if (packed == nullptr)
    throw Error("weights: plain; this kernel takes what pack_weights() returns");
  require_type("packed weights", packed->type(), compiled.loop_types.weights);
  if (packed->order() != compiled.order)
    throw Error("packed weights: in the order of another kernel; must be packed by this one");
  require_size("packed weights", packed->size(), packed_elements(compiled));
}

/// Throws Error when the output cannot be made with `given`.
void check_requantisation(const Kernel& kernel, const Requantisation& given) {
  const TensorTypes types = kernel.types();
  const bool is_default =
      given.scales.empty() && given.zero_point == 0 && given.residual_scale == 1;
  if (is_default) return;
  if (!is_integer(types.input) || types.output == ElementType::s32)
    throw Error("requantisation: of outputs of " + to_string(types) +
                "; must be of integer sums that become another type than s32");
  if (!given.scales.empty() && given.scales.size() != 1)
    require_tensor("scales", given.scales, ElementType::f32, kernel.bias_size());
  if (given.scales.size() == 1) require_tensor("scales", given.scales, ElementType::f32, 1);
  const double zero_point = given.zero_point;
  with_element(types.output, [&](auto zero) {
    using Output = decltype(zero);
    const bool fits = kIsReal<Output> ? zero_point == 0 : nearest<Output>(zero_point) == zero_point;
    if (!fits)
      throw Error("requantisation: zero point " + std::to_string(given.zero_point) +
                  "; must be a number of " + to_string(types.output) +
                  (kIsReal<Output> ? ", which has only 0" : ""));
  });
}

}  // namespace

void require_tensor(const char* what, const ConstElements& got, ElementType type,
                    std::size_t size) {
  if (!got.empty()) require_type(what, got.type(), type);
  require_size(what, got.size(), size);
}

void check_and_run(const Kernel& kernel, const CompiledKernel& compiled, const RunTensors& tensors,
                   const Executor& executor) {
  const auto& [input, weights, output, addends] = tensors;
  const TensorTypes& types = compiled.source.types;
  require_tensor("input", input, types.input, kernel.input_size());
  check_weights(kernel, compiled, weights);
  require_tensor("output", output, types.output, kernel.output_size());
  const Epilogue& epilogue = compiled.source.epilogue;
  require_tensor("bias", addends.bias, accumulator_of(types),
                 epilogue.bias ? kernel.bias_size() : 0);
  require_tensor("residual", addends.residual, types.output,
                 epilogue.add ? kernel.output_size() : 0);
  check_apart(addends.residual, output);
  check_requantisation(kernel, addends.requantisation);
  if (compiled.threads > 1 && !executor)
    throw Error("executor: empty; must run the " + std::to_string(compiled.threads) +
                " tasks of this kernel");
  static const bool traced = is_traced("run");
  const Run one(compiled, tensors, executor);
  if (!traced) return one.run();
  const auto start = std::chrono::steady_clock::now();
  one.run();
  trace_run(compiled, std::chrono::steady_clock::now() - start);
}

}  // namespace tileplan
