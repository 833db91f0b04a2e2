// SPDX-License-Identifier: Apache-2.0
// This file checks the tensors of a run, and then runs a compiled kernel: copies in front of the
// loops, the loops, and conversions after them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "check.h"
#include "compiled_kernel.h"
#include "input_sums.h"
#include "scaled_sums.h"
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

/// Holds two vectors of the widest instruction set.
using FactorVectors = std::array<char, 128>;

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
                             bias = scratch.biases->lease(),
                             input_sums = scratch.input_sums->lease();
    const auto& [fill, back, copy, conversion, converted, padding] = compiled_.stages;
    Buffers buffers{
        .input = filled_input(input.data()),
        .weights = tensors_.weights.data(),
        .output = conversion && !conversion->in_place() ? sums.data() : tensors_.output.data(),
        .bias = full_bias(bias.data())};
    const char* added = loops_add() ? tensors_.addends.residual.data() : nullptr;
    char* const target = buffers.output;
    if (back) {
      buffers.output = output.data();
      added = transposed_addends(target, added, {output.data(), residual.data()});
    }
    if (added != nullptr) buffers.residual = distance(buffers.output, added);
    StoreConversion numbers;
    if (converted) {
      numbers = store_conversion(*conversion, converted_tensors(target), buffers.bias);
      buffers.conversion = &numbers;
    }
    alignas(double) FactorVectors vectors{};
    buffers.factors = factors_in(vectors);
    compiled_.run_loops(executor_, buffers);
    clear_padding(buffers.output);
    if (back) transpose(*back, buffers.output, target);
    if (compiled_.zero_points.of_weights) sum_input(input_sums.data());
    if (conversion && !converted) convert(*conversion, target, window_sums(input_sums.data()));
  }

 private:
  /// Fills a vector with alpha and the next one with beta. Returns null if the loops need neither.
  const char* factors_in(FactorVectors& vectors) const {
    const CompiledKernel::Source& source = compiled_.source;
    if (!scales_sums(source.epilogue)) return nullptr;
    const Factors factors =
        tensors_.factors.value_or(Factors{source.epilogue.alpha, source.epilogue.beta});
    const ElementType type = compiled_.loop_types.sums;
    const int lanes = lanes_of(source.isa, type);
    with_size(bytes_of(type), [&](auto zero) {
      using Number = decltype(zero);
      auto* const to = reinterpret_cast<Number*>(vectors.data());
      std::fill_n(to, lanes, static_cast<Number>(factors.alpha));
      std::fill_n(to + lanes, lanes, static_cast<Number>(factors.beta));
    });
    return vectors.data();
  }

  void transpose(const Transposition& shape, const char* from, char* to) const {
    compiled_.transpose_all(executor_, shape, from, to);
  }

  struct Copies {
    char *output, *residual;
  };

  /// Transposes the tensors that the loops add to their sums: `output`, if beta is not 0, and
  /// `residual`, if it is not null. Returns the copy of the residual, or null.
  const char* transposed_addends(const char* output, const char* residual, Copies copies) const {
    const Transposition& back = *compiled_.stages.empty_output;
    const Transposition into{.images = back.images, .rows = back.columns, .columns = back.rows};
    if (compiled_.source.epilogue.beta != 0) transpose(into, output, copies.output);
    if (residual == nullptr) return nullptr;
    transpose(into, residual, copies.residual);
    return copies.residual;
  }

  /// Returns the input for the loops, which is the caller's tensor or a copy in `memory`.
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

  /// Returns the bias of the loops. This is the caller's bias or, if the kernel makes its own, the
  /// sum of the caller's bias and the corrections that are equal for all pixels.
  const char* full_bias(char* memory) const {
    const ConstElements& bias = tensors_.addends.bias;
    if (!compiled_.has_own_bias()) return bias.data();
    // A kernel that makes its own bias always takes packed weights, which hold the corrections.
    const std::vector<std::int32_t>& flips = tensors_.weights.packed()->corrections();
    const std::vector<std::int32_t>& windows = tensors_.weights.packed()->zero_points().window_sums;
    const auto zero_point = static_cast<std::uint32_t>(tensors_.addends.input_zero_point);
    const auto* const added = reinterpret_cast<const std::uint32_t*>(bias.data());
    auto* const sums = reinterpret_cast<std::uint32_t*>(memory);
    // All products of a batch share the bias of the caller.
    for (std::size_t i = 0; i < compiled_.corrections; ++i) {
      sums[i] = bias.empty() ? 0 : added[i % bias.size()];
      if (!flips.empty()) sums[i] += static_cast<std::uint32_t>(flips[i]);
      if (!windows.empty()) sums[i] -= zero_point * static_cast<std::uint32_t>(windows[i]);
    }
    return memory;
  }

  /// Returns the address of the sums over filter windows, which follow the sums over channels.
  std::int32_t* window_sums(char* memory) const {
    return reinterpret_cast<std::int32_t*>(memory) + compiled_.zero_points.channel_sums.sums();
  }

  /// Sums the input of the caller over channels, and then over filter windows.
  void sum_input(char* memory) const {
    const ZeroPoints& points = compiled_.zero_points;
    const ChannelSums& channels = points.channel_sums;
    auto* const sums = reinterpret_cast<std::int32_t*>(memory);
    compiled_.share_out(executor_, [&](int task) {
      sum_channels(channels, tensors_.input.data(), sums,
                   compiled_.share(task, channels.sums() / channels.groups));
    });
    compiled_.share_out(executor_, [&](int task) {
      sum_windows(points, sums, window_sums(memory),
                  compiled_.share(task, points.input_sums() / channels.groups));
    });
  }

  void clear_padding(char* output) const {
    with_size(compiled_.computation.tensor(Operand::output).element_bytes(), [&](auto zero) {
      clear(compiled_.stages.padding, reinterpret_cast<decltype(zero)*>(output));
    });
  }

  ConvertedTensors converted_tensors(char* sums) const {
    static constexpr float kOne = 1;
    const Requantisation& given = tensors_.addends.requantisation;
    const char* const scales = given.scales.data();
    return {.sums = sums,
            .residual = tensors_.addends.residual.data(),
            .output = tensors_.output.data(),
            .scales = given.scales.empty() ? &kOne : reinterpret_cast<const float*>(scales),
            .has_channel_scales = given.scales.size() > 1,
            .residual_scale = given.residual_scale,
            .residual_zero_point = given.residual_zero_point,
            .zero_point = given.zero_point};
  }

  void convert(const OutputConversion& conversion, char* sums,
               const std::int32_t* input_sums) const {
    const ConvertedTensors converted = converted_tensors(sums);
    const SumCorrections corrections{compiled_.zero_points,
                                     tensors_.weights.packed()->zero_points(),
                                     tensors_.addends.input_zero_point, input_sums};
    compiled_.share_out(executor_, [&](int task) {
      finish(conversion, converted, corrections, compiled_.share(task, conversion.rows.rows));
    });
  }

  /// Converts rows. If corrections differ by pixel, rows are corrected and converted in blocks, so
  /// that the sums stay in the L1 cache between both steps.
  void finish(const OutputConversion& conversion, const ConvertedTensors& tensors,
              const SumCorrections& corrections, TaskRange range) const {
    constexpr std::int64_t kBlock = 4096;  // A block of several rows has at most this many sums.
    if (!compiled_.zero_points.differ_by_pixel())
      return convert_outputs(conversion, tensors, range);
    const std::int64_t rows = std::max<std::int64_t>(1, kBlock / conversion.rows.length);
    for (std::int64_t first = range.first; first < range.last; first += rows) {
      const TaskRange block{.first = first, .last = std::min(first + rows, range.last)};
      correct_sums(corrections, conversion.rows, reinterpret_cast<std::int32_t*>(tensors.sums),
                   block);
      convert_outputs(conversion, tensors, block);
    }
  }

  const CompiledKernel& compiled_;
  const RunTensors& tensors_;
  const Executor& executor_;
};

std::size_t count_of(Granularity granularity, std::size_t channels) {
  if (granularity == Granularity::none) return 0;
  return granularity == Granularity::tensor ? 1 : channels;
}

/// Throws Error when `zero_point` is out of the range of `type`, or is not 0 although the kernel
/// has no zero point.
void require_zero_point(const char* what, std::int32_t zero_point, ElementType type, bool is) {
  if (!is && zero_point != 0)
    throw Error(std::string(what) + ": " + std::to_string(zero_point) +
                "; must be 0, because the epilogue of this kernel has none");
  const double number = zero_point;
  with_element(type, [&](auto zero) {
    if (static_cast<double>(nearest<decltype(zero)>(number)) != number)
      throw Error(std::string(what) + ": " + std::to_string(zero_point) + "; must be a number of " +
                  to_string(type));
  });
}

/// Throws Error when the given scales and zero points are not those that the epilogue needs.
void check_quantised(const Kernel& kernel, const Addends& addends) {
  const Quantisation& has = kernel.epilogue().quantisation;
  const Requantisation& given = addends.requantisation;
  const TensorTypes types = kernel.types();
  require_tensor("scales", given.scales, ElementType::f32,
                 count_of(has.scales, kernel.bias_size()));
  require_zero_point("zero point of the input", addends.input_zero_point, types.input,
                     has.input_zero_point);
  require_zero_point("zero point of the output", given.zero_point, types.output,
                     has.output_zero_point);
  require_zero_point("zero point of the residual", given.residual_zero_point, types.output,
                     has.scaled_residual);
  if (!has.scaled_residual && given.residual_scale != 1)
    throw Error("scale of the residual: " + std::to_string(given.residual_scale) +
                "; must be 1, because the epilogue of this kernel has none");
}

/// Tells whether a kernel for `epilogue` can use these factors (RunTensors::factors). A kernel has
/// no code for factors if alpha is 1 and beta is 0 or 1.
bool fits(const Factors& factors, const Epilogue& epilogue) {
  const auto is_set_or_added = [](double beta) { return beta == 0 || beta == 1; };
  return (factors.alpha == 1) == (epilogue.alpha == 1) &&
         (is_set_or_added(epilogue.beta) ? factors.beta == epilogue.beta
                                         : !is_set_or_added(factors.beta));
}

/// Throws Error when `weights` do not hold as many zero points, window sums and corrections as this
/// kernel reads.
void check_packed(const Kernel& kernel, const CompiledKernel& compiled, const Packed& weights) {
  const ZeroPoints& points = compiled.zero_points;
  const PackedZeroPoints& packed = weights.zero_points();
  const std::size_t sums = compiled.corrections;
  const bool fits = packed.weights.size() == (points.of_weights ? kernel.bias_size() : 0) &&
                    packed.window_sums.size() == (points.of_input ? points.sets.count * sums : 0) &&
                    weights.corrections().size() == (compiled.loop_types.flips_input ? sums : 0);
  if (!fits)
    throw Error("packed weights: for other zero points; must be packed by a kernel with the " +
                std::string("epilogue ") + to_string(compiled.source.epilogue));
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
  require_size("packed weights", packed->size(), compiled.packed_elements());
  check_packed(kernel, compiled, *packed);
}

}  // namespace

void require_tensor(const char* what, const ConstElements& got, ElementType type,
                    std::size_t size) {
  if (!got.empty()) require_type(what, got.type(), type);
  require_size(what, got.size(), size);
}

void check_and_run(const Kernel& kernel, const CompiledKernel& compiled, const RunTensors& tensors,
                   const Executor& executor) {
  const auto& [input, weights, output, addends, factors] = tensors;
  const TensorTypes& types = compiled.source.types;
  require_tensor("input", input, types.input, kernel.input_size());
  check_weights(kernel, compiled, weights);
  require_tensor("output", output, types.output, kernel.output_size());
  const Epilogue& epilogue = compiled.source.epilogue;
  require_tensor("bias", addends.bias, compiled.loop_types.sums,
                 epilogue.bias ? kernel.bias_size() : 0);
  require_tensor("residual", addends.residual, types.output,
                 epilogue.add ? kernel.output_size() : 0);
  check_apart(addends.residual, output);
  TILEPLAN_CHECK(!factors || fits(*factors, epilogue),
                 "factors need other code than the kernel has");
  check_quantised(kernel, addends);
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
