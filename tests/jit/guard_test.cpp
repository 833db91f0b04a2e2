// SPDX-License-Identifier: Apache-2.0
// This test checks that generated code stays in its tensors, which lie between inaccessible pages.
// If a kernel transposes its input or output, the pages do not surround its weights and its copies.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "guarded.h"
#include "loop_tree.h"
#include "nest.h"
#include "pack.h"
#include "random_schedule.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;
using test::Flush;
using test::Guarded;
using test::Random;

namespace {

template <class Number>
void fill(const Guarded& buffer, Random& random) {
  const std::span<Number> numbers = buffer.numbers<Number>();
  const std::vector<Number> values = test::random_numbers<Number>(random, numbers.size());
  std::copy(values.begin(), values.end(), numbers.begin());
}

struct Trial {
  ConvShape shape;
  Schedule schedule;
  Isa isa = Isa::avx2;

  int lanes() const { return lanes_of(isa, shape.types.output); }
};

Trial random_trial(Random& random, Isa isa, ElementType type) {
  Trial trial{.shape = test::random_shape(random), .schedule = {}, .isa = isa};
  trial.shape.types = type;
  trial.schedule =
      test::with_parallel_loops(random, test::random_schedule(random, trial.shape, trial.lanes()));
  trial.schedule.in = test::random_layout(random, isa, type);
  trial.schedule.out = test::random_layout(random, isa, type);
  trial.schedule.prefetch = static_cast<int>(test::pick(random, 0, 2)) * 4;
  trial.schedule.pack_input = test::random_box(random, trial.schedule);
  trial.schedule.ahead = test::random_ahead(random, trial.shape, trial.schedule, trial.lanes());
  return trial;
}

/// Packs the weights and runs the loop tree. All its tensors lie between inaccessible pages.
template <class Number>
void run_tree(const Trial& trial, Flush flush, Random& random) {
  const Computation computation = computation_of(trial.shape);
  const Nest nest = resolve(trial.schedule, computation, trial.lanes());
  const TreeSpec spec{
      .isa = trial.isa,
      .lowering = {.input = layout_of(computation, Operand::input, trial.schedule.in),
                   .output = layout_of(computation, Operand::output, trial.schedule.out),
                   .pack_input = trial.schedule.pack_input,
                   .ahead = trial.schedule.ahead},
      .prefetch = trial.schedule.prefetch};
  const LoopTree tree = build_tree(computation, nest, spec);
  const auto floats = [](std::int64_t elements) { return static_cast<std::size_t>(elements); };
  const TensorLayout plain = layout_of(computation, Operand::weights, Layout::plain);
  const Guarded weights(floats(plain.elements), flush, trial.shape.types.output);
  const Guarded packed(floats(tree.weights.elements()), flush, trial.shape.types.output);
  const Guarded input(floats(spec.lowering.input.elements), flush, trial.shape.types.output);
  const Guarded output(floats(spec.lowering.output.elements), flush, trial.shape.types.output);
  const Guarded box(floats(tree.boxes_bytes / bytes_of(trial.shape.types.output)), flush,
                    trial.shape.types.output);
  fill<Number>(weights, random);
  fill<Number>(input, random);
  const LoopTypes types{.input = trial.shape.types.input,
                        .weights = trial.shape.types.weights,
                        .sums = trial.shape.types.output};
  pack_weights({computation, computation, types, tree.weights}, weights.bytes(), packed.bytes());
  const Buffers buffers{.input = input.bytes(),
                        .weights = packed.bytes(),
                        .output = output.bytes(),
                        .box = box.bytes()};
  const std::int64_t half = tree.tasks() / 2;
  execute(tree, buffers, {.first = half, .last = tree.tasks()});
  execute(tree, buffers, {.first = 0, .last = half});
}

/// Runs the compiled kernel with its input and output between inaccessible pages.
template <class Number>
void run_kernel(const Trial& trial, Flush flush, Random& random) {
  Plan plan;
  plan.problem = trial.shape;
  plan.machine = test::toy_machine(trial.isa);
  plan.candidates.push_back({.schedule = trial.schedule, .prediction = {}, .measurement = {}});
  const Kernel kernel = compile(plan);
  const Guarded input(kernel.input_size(), flush, trial.shape.types.output);
  const Guarded output(kernel.output_size(), flush, trial.shape.types.output);
  fill<Number>(input, random);
  const std::vector<Number> weights = test::random_numbers<Number>(random, kernel.weights_size());
  kernel.run(input.numbers<Number>(), kernel.pack_weights(weights), output.numbers<Number>());
}

/// Returns true when the kernel transposes the input or the output before or after its loops.
bool is_transposed(const Trial& trial) {
  const bool vector_input = std::string(test::vector_dim(trial.shape)) == "g";
  return trial.schedule.out == Layout::nchw || (vector_input && trial.schedule.in == Layout::nchw);
}

enum Outcome { ran = 0, unfit = 1, failed = 2 };

template <class Number>
Outcome run_guarded(const Trial& trial, Random& random) {
  try {
    for (const Flush flush : {Flush::start, Flush::end}) {
      if (!is_transposed(trial)) run_tree<Number>(trial, flush, random);
      run_kernel<Number>(trial, flush, random);
    }
    return Outcome::ran;
  } catch (const Error& error) {
    return test::says_layout_does_not_fit(error.what()) ? Outcome::unfit : Outcome::failed;
  } catch (const std::exception&) {
    return Outcome::failed;
  }
}

/// Runs the trial in a child process, which may crash, and returns the status that waitpid() gives.
int status_of(const Trial& trial, Random& random) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    _exit(trial.shape.types.output == ElementType::f64 ? run_guarded<double>(trial, random)
                                                       : run_guarded<float>(trial, random));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

/// Runs `count` random convolutions, and returns how many of them fit the layouts that were drawn.
int count_guarded(Isa isa, ElementType type, unsigned count) {
  int run = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    Random random(seed);
    const Trial trial = random_trial(random, isa, type);
    CAPTURE(seed);
    CAPTURE(to_string(trial.shape));
    CAPTURE(to_string(trial.schedule));
    const int status = status_of(trial, random);
    CHECK_FALSE(WIFSIGNALED(status));
    CHECK(WEXITSTATUS(status) != Outcome::failed);
    if (WIFEXITED(status) && WEXITSTATUS(status) == Outcome::ran) ++run;
  }
  return run;
}

}  // namespace

TEST_CASE("no byte outside input, weights and output is touched on avx2") {
  CHECK(count_guarded(Isa::avx2, ElementType::f32, 150) >= 100);
}

TEST_CASE("no byte outside input, weights and output is touched on avx512") {
  if (__builtin_cpu_supports("avx512f") == 0) return;
  CHECK(count_guarded(Isa::avx512, ElementType::f32, 150) >= 100);
}

TEST_CASE("no byte outside input, weights and output is touched on avx512vl") {
  if (__builtin_cpu_supports("avx512vl") == 0) return;
  CHECK(count_guarded(Isa::avx512vl, ElementType::f32, 150) >= 100);
}

TEST_CASE("no byte outside input, weights and output of doubles is touched") {
  CHECK(count_guarded(Isa::avx2, ElementType::f64, 60) >= 40);
  if (__builtin_cpu_supports("avx512f") == 0) return;
  CHECK(count_guarded(Isa::avx512, ElementType::f64, 60) >= 40);
}
