// SPDX-License-Identifier: Apache-2.0
// This test compares the time of emitted C, built with cc -O2 -march=native, with that of the
// assembled kernel.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "attached_kernel.h"
#include "buffers.h"
#include "merge_dims.h"
#include "regime.h"
#include "runner.h"
#include "statistics.h"
#include "temporary_folder.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

using Run = void (*)(const float* input, const float* packed, float* output);

/// Compiles emitted C to a shared object, and loads tileplan_run() from this object.
class Emitted {
 public:
  explicit Emitted(const std::string& text) {
    const std::string source = folder_.write("emitted.c", text), object = folder_ / "emitted.so";
    const std::string command =
        "cc -std=c11 -O2 -march=native -shared -fPIC '" + source + "' -o '" + object + "'";
    if (std::system(command.c_str()) != 0) throw Error("cc: failed on emitted C");
    library_ = dlopen(object.c_str(), RTLD_NOW);
    if (library_ == nullptr) throw Error(dlerror());
    run = reinterpret_cast<Run>(dlsym(library_, "tileplan_run"));
  }
  Emitted(const Emitted&) = delete;
  Emitted& operator=(const Emitted&) = delete;
  ~Emitted() { dlclose(library_); }

  Run run = nullptr;

 private:
  TemporaryFolder folder_;
  void* library_ = nullptr;
};

/// Returns the time of emitted C divided by that of the assembled kernel, or nothing when too few
/// pairs of runs were undisturbed. Throws Error when cc fails, and when the outputs are not
/// equal bit by bit.
std::optional<MedianInterval> measure_ratio(const Problem& problem, const Machine& machine,
                                            double budget_seconds) {
  const Plan chosen = plan(problem, machine);
  const Schedule& schedule = chosen.candidates.front().schedule;
  const Emitted emitted(
      emit_c(problem, schedule, {.target = parse_target(to_string(machine.vector.isa))}).source);
  Tensors tensors(problem, 1);
  const Kernel kernel = compile(chosen);
  const Packed packed = kernel.pack_weights(tensors.weights().span());
  const Buffer& input = tensors.input(schedule.in);
  Buffer& output = tensors.output(schedule.out);
  Buffer again(output.size());
  const auto run_assembled = [&] { kernel.run(input.span(), packed, output.span()); };
  const auto* const weights = reinterpret_cast<const float*>(packed.data());
  const auto run_emitted = [&] { emitted.run(input.data(), weights, again.data()); };
  run_assembled();
  run_emitted();
  if (std::memcmp(output.data(), again.data(), output.size() * sizeof(float)) != 0)
    throw Error(name_of(problem) + ": emitted and assembled results differ");
  Instruments instruments = make_instruments(machine.vector.isa);
  constexpr int kPairs = 15;
  return measure_pair({.run = run_assembled}, {.run = run_emitted}, instruments,
                      {.budget_seconds = budget_seconds, .enough = kPairs})
      .ratio;
}

void add_problems(std::vector<Problem>& problems, const std::string& argument) {
  if (!argument.ends_with(".csv")) return problems.push_back(parse_problem(argument));
  for (Problem& problem : load_layers(argument)) problems.push_back(std::move(problem));
}

void measure(const std::vector<Problem>& problems, double budget_seconds) {
  const Machine machine = detect_machine();
  const PinnedThread pinned;
  std::vector<double> ratios;
  std::cout << machine.name << ", 1 thread, hot caches; ratio = emitted C / assembled [95 %]\n"
            << std::fixed << std::setprecision(3);
  for (const Problem& problem : problems) {
    const auto ratio = measure_ratio(problem, machine, budget_seconds);
    std::cout << std::left << std::setw(16) << name_of(problem);
    if (ratio) {
      ratios.push_back(ratio->median);
      std::cout << ratio->median << " [" << ratio->low << ", " << ratio->high << "]" << std::endl;
    } else {
      std::cout << "disturbed" << std::endl;
    }
  }
  if (!ratios.empty()) std::cout << "median of " << ratios.size() << ": " << median(ratios) << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  try {
    double budget_seconds = 5;
    std::vector<Problem> problems;
    for (int i = 1; i < count; ++i) {
      const std::string argument = arguments[i];
      if (argument == "--budget" && i + 1 < count)
        budget_seconds = std::stod(arguments[++i]);
      else
        add_problems(problems, argument);
    }
    if (problems.empty()) throw Error("usage: emitted_speed_test [--budget SECONDS] LAYERS.csv...");
    measure(problems, budget_seconds);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "emitted_speed_test: " << error.what() << '\n';
    return 2;
  }
}
