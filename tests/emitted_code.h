// SPDX-License-Identifier: Apache-2.0
// Emitted C on random problems: compiled, loaded, run, and compared with the definition.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "elements.h"
#include "emit_c.h"
#include "emitted_draw.h"
#include "random_conv.h"
#include "temporary_folder.h"
#include "tileplan/kernel.h"
#include "toy_conv.h"

namespace tileplan::test::emitted {

inline bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

/// Compilers of this machine; the emitted files must be clean with each.
inline std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang", "clang-14"})
    if (is_installed(name) && found.size() < 2) found.emplace_back(name);
  return found;
}

/// No kernel computes it.
constexpr float kNever = -777.0F;

/// Buffers of one run. Outputs of kernels that do not accumulate start as kNever.
struct Run {
  Epilogue epilogue = {};
  std::vector<float> input, weights, packed, bias, residual, start, output;
};

/// An emitted file as a shared object.
class Compiled {
 public:
  Compiled(const TemporaryFolder& folder, const std::string& compiler, const std::string& text) {
    const std::string source = folder.write("emitted.c", text);
    static int number = 0;  // dlopen knows files by name
    const std::string object = folder / ("emitted" + std::to_string(number++) + ".so");
    REQUIRE(std::system((compiler + " -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC " + source +
                         " -o " + object)
                            .c_str()) == 0);
    library_ = ::dlopen(object.c_str(), RTLD_NOW);
    REQUIRE(library_ != nullptr);
    pack = find<decltype(pack)>("tileplan_pack");
    run_ = ::dlsym(library_, "tileplan_run");
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { ::dlclose(library_); }

  void (*pack)(const float* weights, float* packed) = nullptr;
  void run(Run& buffers) const;

 private:
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(library_, name));
  }
  template <class... Pointers>
  void call(Pointers... arguments) const {
    reinterpret_cast<void (*)(Pointers...)>(run_)(arguments...);
  }
  void* library_ = nullptr;
  void* run_ = nullptr;
};

inline void Compiled::run(Run& buffers) const {
  const float *input = buffers.input.data(), *packed = buffers.packed.data();
  const float *bias = buffers.bias.data(), *residual = buffers.residual.data();
  float* const output = buffers.output.data();
  if (bias != nullptr && residual != nullptr) return call(input, packed, bias, residual, output);
  if (bias != nullptr) return call(input, packed, bias, output);
  if (residual != nullptr) return call(input, packed, residual, output);
  call(input, packed, output);
}

inline std::size_t packed_floats(const std::string& text) {
  const std::string before = "packed_floats INT64_C(";
  return std::stoul(text.substr(text.find(before) + before.size()));
}

inline Plan plan_for(const Problem& problem, const Schedule& schedule, Isa isa) {
  Plan plan;
  plan.problem = problem;
  plan.machine.vector.isa = isa;
  plan.machine.vector.lanes = isa == Isa::avx512 ? 16 : 8;
  plan.machine.vector.registers = isa == Isa::avx512 ? 32 : 16;
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  return plan;
}

inline Run random_run(Random& random, const Computation& computation, const Schedule& schedule,
                      const Epilogue& epilogue, std::size_t packed) {
  const auto size = [&](Operand operand, Layout layout) {
    return static_cast<std::size_t>(layout_of(computation, operand, layout).elements);
  };
  const auto bias = static_cast<std::size_t>(bias_layout(computation).elements);
  Run run{.epilogue = epilogue,
          .input = random_floats(random, size(Operand::input, schedule.in)),
          .weights = random_floats(random, size(Operand::weights, Layout::plain)),
          .packed = std::vector<float>(packed, kNever),
          .bias = random_floats(random, epilogue.bias ? bias : 0),
          .residual = random_floats(random, epilogue.add ? size(Operand::output, schedule.out) : 0),
          .start = std::vector<float>(size(Operand::output, schedule.out), kNever),
          .output = {}};
  if (epilogue.accumulate) {
    // The padding of a last block is zero before and after.
    run.start.assign(run.start.size(), 0.0F);
    const TensorLayout layout = layout_of(computation, Operand::output, schedule.out);
    for_each_element(extents_of(computation.tensors[2]), layout, [&](std::size_t, std::size_t at) {
      run.start[at] = static_cast<float>(pick(random, -64, 64)) / 64.0F;
    });
  }
  run.output = run.start;
  return run;
}

inline Run run_emitted(Random& random, const Compiled& code, const Computation& computation,
                       const Schedule& schedule, std::size_t packed,
                       const Epilogue& epilogue = {}) {
  Run run = random_run(random, computation, schedule, epilogue, packed);
  code.pack(run.weights.data(), run.packed.data());
  code.run(run);
  return run;
}

/// Largest error against the definition, relative to the tolerance of the project.
inline double error_of(const ConvShape& shape, const Computation& computation,
                       const Schedule& schedule, const Run& run) {
  std::vector<float> plain(elements_of(computation.tensors[0]));
  for_each_element(extents_of(computation.tensors[0]),
                   layout_of(computation, Operand::input, schedule.in),
                   [&](std::size_t to, std::size_t at) { plain[to] = run.input[at]; });
  const std::vector<double> sums = plain_conv(shape, plain, run.weights);
  const auto pixels =
      static_cast<std::size_t>(shape.depth.out * shape.height.out * shape.width.out);
  double largest = 0, magnitude = 1e-30;
  for_each_element(
      extents_of(computation.tensors[2]), layout_of(computation, Operand::output, schedule.out),
      [&](std::size_t from, std::size_t at) {
        double sum = sums[from];
        if (run.epilogue.accumulate) sum += run.start[at];
        if (run.epilogue.bias) sum += run.bias[from / pixels % static_cast<std::size_t>(shape.k)];
        if (run.epilogue.add) sum += run.residual[at];
        magnitude = std::max(magnitude, std::abs(sum));
        const double expected = std::min(std::max(sum, run.epilogue.low), run.epilogue.high);
        largest = std::max(largest, element_error(run.output[at], expected));
      });
  const double reduction = static_cast<double>(shape.c / shape.g * shape.depth.filter *
                                               shape.height.filter * shape.width.filter);
  return largest / (4 * 1.2e-7 * std::sqrt(reduction) * magnitude);
}

}  // namespace tileplan::test::emitted
