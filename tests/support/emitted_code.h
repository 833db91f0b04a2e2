// SPDX-License-Identifier: Apache-2.0
// This file compiles and loads emitted C, runs it on random tensors, and compares the outputs with
// the definition of the convolution.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "elements.h"
#include "installed.h"
#include "plain_conv.h"
#include "random_schedule.h"
#include "temporary_folder.h"
#include "tileplan/emit.h"
#include "tileplan/kernel.h"

namespace tileplan::test::emitted {

/// Returns the commands of the first two compilers that are installed, of gcc, clang and clang-14.
/// Each must compile emitted files without warnings.
inline std::vector<std::string> compilers() {
  std::vector<std::string> found;
  if (is_installed("gcc")) found.emplace_back("gcc -fopenmp");
  for (const char* name : {"clang", "clang-14"})
    if (is_installed(name) && found.size() < 2) found.emplace_back(name);
  return found;
}

using test::random_schedule;

/// Returns a random convolution that is small, because compiling emitted C takes long.
inline ConvShape random_shape(Random& random) { return test::random_shape(random, 12, 14); }

/// Packed weights, and outputs that a kernel does not read, are filled with this value before a
/// run. Few kernels compute it, so a test sees which elements were not written.
constexpr int kNever = -777;

/// Holds the buffers of one run. `packed` holds the weights that the kernel takes, packed or plain.
/// `bias` and `residual` are empty unless the epilogue has them. `start` is the output before the
/// run, which is kNever everywhere when beta is 0.
template <class Number>
struct RunOf {
  Epilogue epilogue = {};
  std::vector<Number> input, weights, packed, bias, residual, start, output;
};
using Run = RunOf<float>;

template <class Number>
class CompiledOf {
 public:
  CompiledOf(const TemporaryFolder& folder, const std::string& compiler, const std::string& text) {
    const std::string source = folder.write("emitted.c", text);
    // The names of libraries are numbered, because dlopen identifies libraries by name.
    static int number = 0;
    const std::string object = folder / ("emitted" + std::to_string(number++) + ".so");
    REQUIRE(std::system((compiler + " -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC " + source +
                         " -o " + object)
                            .c_str()) == 0);
    library_ = ::dlopen(object.c_str(), RTLD_NOW);
    REQUIRE(library_ != nullptr);
    pack = reinterpret_cast<decltype(pack)>(::dlsym(library_, "tileplan_pack"));
    run_ = ::dlsym(library_, "tileplan_run");
  }
  CompiledOf(const CompiledOf&) = delete;
  CompiledOf& operator=(const CompiledOf&) = delete;
  ~CompiledOf() { ::dlclose(library_); }

  void (*pack)(const Number* weights, Number* packed) = nullptr;
  void run(RunOf<Number>& buffers) const {
    const Number *input = buffers.input.data(), *packed = buffers.packed.data();
    const Number *bias = buffers.bias.data(), *residual = buffers.residual.data();
    Number* const output = buffers.output.data();
    if (bias != nullptr && residual != nullptr) return call(input, packed, bias, residual, output);
    if (bias != nullptr) return call(input, packed, bias, output);
    if (residual != nullptr) return call(input, packed, residual, output);
    call(input, packed, output);
  }

 private:
  template <class... Pointers>
  void call(Pointers... arguments) const {
    reinterpret_cast<void (*)(Pointers...)>(run_)(arguments...);
  }
  void* library_ = nullptr;
  void* run_ = nullptr;
};

using Compiled = CompiledOf<float>;

/// Returns the number in the macro of an emitted file that gives the size of its packed weights, or
/// 0 when it takes plain weights. The macro counts numbers, but bytes unless all tensors have one
/// type, which is f32, f64 or s32 (has_stages() in stage_plan.h).
inline std::size_t packed_floats(const std::string& text) {
  const std::string before = "s INT64_C(";  // The name ends in s, as tileplan_packed_floats.
  const std::size_t at = text.find(before);
  return at == std::string::npos ? 0 : std::stoul(text.substr(at + before.size()));
}

template <class Number>
RunOf<Number> random_run(Random& random, const Computation& computation, const Schedule& schedule,
                         const Epilogue& epilogue, std::size_t packed) {
  const auto size = [&](Operand operand, Layout layout) {
    return static_cast<std::size_t>(layout_of(computation, operand, layout).elements);
  };
  const auto bias = static_cast<std::size_t>(bias_layout(computation).elements);
  RunOf<Number> run{
      .epilogue = epilogue,
      .input = random_numbers<Number>(random, size(Operand::input, schedule.in)),
      .weights = random_numbers<Number>(random, size(Operand::weights, Layout::plain)),
      .packed = std::vector<Number>(packed, kNever),
      .bias = random_numbers<Number>(random, epilogue.bias ? bias : 0),
      .residual =
          random_numbers<Number>(random, epilogue.add ? size(Operand::output, schedule.out) : 0),
      // With beta != 0, the padding of the last channel block must hold zeros before the run.
      .start =
          std::vector<Number>(size(Operand::output, schedule.out), epilogue.beta != 0 ? 0 : kNever),
      .output = {}};
  if (epilogue.beta != 0) {
    const TensorLayout layout = layout_of(computation, Operand::output, schedule.out);
    for_each_element(extents_of(computation.tensors[2]), layout, [&](std::size_t, std::size_t at) {
      run.start[at] = random_numbers<Number>(random, 1).front();
    });
  }
  run.output = run.start;
  return run;
}

template <class Number>
RunOf<Number> run_emitted(Random& random, const CompiledOf<Number>& code,
                          const Computation& computation, const Schedule& schedule,
                          std::size_t packed, const Epilogue& epilogue = {}) {
  RunOf<Number> run = random_run<Number>(random, computation, schedule, epilogue, packed);
  if (code.pack != nullptr)
    code.pack(run.weights.data(), run.packed.data());
  else
    run.packed = run.weights;
  code.run(run);
  return run;
}

/// Returns the largest error of the outputs divided by the tolerance. Outputs are right if the
/// result is at most 1. Integers must be exact, so their result is 0 without an error and 2 with
/// one.
template <class Number>
double error_of(const ConvShape& shape, const Computation& computation, const Schedule& schedule,
                const RunOf<Number>& run) {
  std::vector<Number> plain(elements_of(computation.tensors[0]));
  for_each_element(extents_of(computation.tensors[0]),
                   layout_of(computation, Operand::input, schedule.in),
                   [&](std::size_t to, std::size_t at) { plain[to] = run.input[at]; });
  const std::vector<double> sums = plain_conv(shape, plain, run.weights);
  const auto pixels =
      static_cast<std::size_t>(shape.depth.out * shape.height.out * shape.width.out);
  double largest = 0, magnitude = 1e-30;
  for_each_element(extents_of(computation.tensors[2]),
                   layout_of(computation, Operand::output, schedule.out),
                   [&](std::size_t from, std::size_t at) {
                     double sum = sums[from];
                     const auto [product, before] = scaled_terms(run.epilogue, sum, run.start[at]);
                     magnitude = std::max({magnitude, std::abs(product), std::abs(before)});
                     sum = product + before;
                     if (run.epilogue.bias)
                       sum += run.bias[from / pixels % static_cast<std::size_t>(shape.k)];
                     if (run.epilogue.add) sum += run.residual[at];
                     magnitude = std::max(magnitude, std::abs(sum));
                     const double expected = finished(run.epilogue, sum);
                     largest = std::max(largest, element_error(run.output[at], expected));
                   });
  const auto reduction = static_cast<double>(run.weights.size()) / static_cast<double>(shape.k);
  if constexpr (std::numeric_limits<Number>::is_integer) return largest == 0 ? 0 : 2;
  return largest / (4 * std::numeric_limits<Number>::epsilon() * std::sqrt(reduction) * magnitude);
}

/// Returns the C source for `target` that computes `problem` by `schedule`.
inline std::string emitted(const std::string& problem, const std::string& schedule, Target target) {
  return emit_c(parse_problem(problem), parse_schedule(schedule),
                {.target = target, .name = "tileplan"})
      .source;
}

}  // namespace tileplan::test::emitted
