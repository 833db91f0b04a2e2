// SPDX-License-Identifier: Apache-2.0
// This test compares kernels of Winograd schedules with plain loops over tiles, without tolerance.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "activation.h"
#include "error_of.h"
#include "guarded.h"
#include "host_isas.h"
#include "random_winograd.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "winograd_reference.h"
#include "winograd_rules.h"

using namespace tileplan;
using test::Flush;
using test::Guarded;
using test::Random;

namespace {

/// Holds a problem with its schedule and the values of its tensors. `start` is the output before
/// the run, if the epilogue adds to the output.
struct Trial {
  ConvShape shape;
  Schedule schedule;
  Isa isa = Isa::avx2;
  Epilogue epilogue = {};
  std::vector<float> input = {}, weights = {}, bias = {}, residual = {}, start = {};

  Kernel kernel(int threads) const {
    Plan plan = test::plan_for(shape, schedule, isa);
    plan.options.epilogue = epilogue;
    plan.options.threads = threads;
    return compile(plan);
  }

  void fill(const Kernel& kernel, Random& random) {
    input = test::random_floats(random, kernel.input_size());
    weights = test::random_floats(random, kernel.weights_size());
    start = test::random_floats(random, kernel.output_size());
    if (epilogue.bias) bias = test::random_floats(random, kernel.bias_size());
    if (epilogue.add) residual = test::random_floats(random, kernel.output_size());
  }
};

Trial random_trial(Random& random, Isa isa) {
  Trial trial{.shape = test::random_winograd_shape(random), .schedule = {}, .isa = isa};
  trial.schedule =
      test::WinogradDraw(random, trial.shape, lanes_of(isa, ElementType::f32)).schedule();
  trial.schedule.in = test::random_layout(random, isa);
  trial.schedule.out = test::random_layout(random, isa);
  if (test::pick(random, 0, 3) == 0) trial.schedule.prefetch = 4;
  if (test::pick(random, 0, 1) == 0) trial.epilogue = test::random_epilogue(random);
  return trial;
}

/// Returns exp(-x), computed with the same roundings as in the kernel.
float exponential_in_steps(float x) {
  using Steps = ExponentialSteps;
  constexpr auto kMost = static_cast<float>(Steps::kMost),
                 kShift = static_cast<float>(Steps::kShift);
  const float power = std::clamp(x * static_cast<float>(Steps::kPerX), -kMost, kMost);
  const float whole = power + kShift - kShift;
  float result = 0;
  for (const double coefficient : Steps::kPolynomial) {
    result *= power - whole;
    result += static_cast<float>(coefficient);
  }
  return std::ldexp(result, static_cast<int>(whole));
}

/// Returns the result of the activation, computed with the same roundings as in the kernel.
float activated_in_steps(const Activation& activation, float x) {
  const auto alpha = static_cast<float>(activation.alpha),
             beta = static_cast<float>(activation.beta);
  const auto hard = [&] {
    const float scaled = alpha * x;
    return std::clamp(scaled + beta, 0.0F, 1.0F);
  };
  switch (activation.kind) {
    case ActivationKind::leaky:
      return x < 0 ? alpha * x : x;
    case ActivationKind::sigmoid:
      return 1 / (exponential_in_steps(x) + 1);
    case ActivationKind::silu:
      return x / (exponential_in_steps(x) + 1);
    case ActivationKind::hard_sigmoid:
      return hard();
    case ActivationKind::hard_swish:
      return x * hard();
    default:
      return x;
  }
}

/// Returns `sum` after the epilogue, rounded as in the kernel.
float finished(const Trial& trial, float sum, std::size_t place, std::size_t channel) {
  if (trial.epilogue.alpha != 1) sum *= static_cast<float>(trial.epilogue.alpha);
  if (trial.epilogue.beta != 0) {
    const float before = trial.start[place] * static_cast<float>(trial.epilogue.beta);
    sum += before;
  }
  if (trial.epilogue.bias) sum += trial.bias[channel];
  if (trial.epilogue.add) sum += trial.residual[place];
  sum = activated_in_steps(trial.epilogue.activation, sum);
  sum = std::max(sum, static_cast<float>(trial.epilogue.low));
  return std::min(sum, static_cast<float>(trial.epilogue.high));
}

std::vector<float> expected(const Trial& trial) {
  const Computation computation = computation_of(trial.shape);
  const TensorLayout output = layout_of(computation, Operand::output, trial.schedule.out);
  const Operands operands{{trial.input, layout_of(computation, Operand::input, trial.schedule.in)},
                          {trial.weights, layout_of(computation, Operand::weights, Layout::plain)}};
  std::vector<float> result = winograd_reference<float>(
      computation, operands, output, winograd_tile(trial.shape, *trial.schedule.winograd));
  const TensorAccess& access = computation.tensor(Operand::output);
  const TensorLayout bias = bias_layout(computation);
  Tile at{};
  const std::vector<Dim> dims = output_dims(computation);
  do {
    const std::size_t place = element_index(access, output, at);
    result[place] = finished(trial, result[place], place, element_index(access, bias, at));
  } while (advance(computation, dims, at));
  return result;
}

std::vector<float> run(const Trial& trial, const Kernel& kernel, Flush flush,
                       const Executor& executor) {
  const Guarded input(trial.input.size(), flush), output(trial.start.size(), flush);
  std::ranges::copy(trial.input, input.numbers<float>().begin());
  if (trial.epilogue.beta != 0) std::ranges::copy(trial.start, output.numbers<float>().begin());
  kernel.run(input.numbers<float>(), kernel.pack_weights(trial.weights), output.numbers<float>(),
             {.bias = trial.bias, .residual = trial.residual}, executor);
  return {output.numbers<float>().begin(), output.numbers<float>().end()};
}

/// Compares values instead of bits, so that a zero equals a negative zero, and NaN equals nothing.
void check_equal(const std::vector<float>& got, const std::vector<float>& expected) {
  const auto differ = std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin();
  CAPTURE(differ);
  CHECK(differ == std::ssize(expected));
}

void last_first(int count, const std::function<void(int)>& task) {
  for (int i = count; i-- > 0;) task(i);
}

/// Compares the kernel on one to three threads with plain loops over tiles. Returns false when the
/// layouts of the trial do not fit.
bool check_trial(Trial trial, Random& random) {
  CAPTURE(to_string(trial.shape));
  CAPTURE(to_string(trial.schedule));
  CAPTURE(to_string(trial.epilogue));
  CAPTURE(to_string(trial.isa));
  try {
    const Kernel kernel = trial.kernel(1);
    trial.fill(kernel, random);
    const std::vector<float> values = expected(trial);
    check_equal(run(trial, kernel, Flush::start, run_tasks), values);
    check_equal(run(trial, kernel, Flush::end, run_tasks), values);
    check_equal(run(trial, trial.kernel(3), Flush::end, last_first), values);
    check_equal(run(trial, trial.kernel(2), Flush::end, run_tasks), values);
    return true;
  } catch (const Error& error) {
    CHECK_MESSAGE(test::says_layout_does_not_fit(error.what()), error.what());
    return false;
  }
}

}  // namespace

TEST_CASE("random convolutions of all sizes, layouts, epilogues and numbers of threads") {
  for (const Isa isa : host_isas()) {
    int checked = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      checked += check_trial(random_trial(random, isa), random) ? 1 : 0;
    }
    CHECK(checked >= 40);
  }
}

TEST_CASE("points of the schedule replace those of the table") {
  Random random(7);
  Trial trial{.shape = parse_conv("mb1ic5ih9oc20oh9kh3ph1"), .schedule = {}};
  trial.schedule = parse_schedule(
      "[T(1,g), T(1,x), T(5,p), T(5,c), U(1,p), V(k)] in=nhwc out=nhwc winograd=4x2 "
      "points=0,1,-1,2,-2;0,1/2,-1/2 pack=in@0 pack=out@0");
  trial.schedule.loops[1].count = 6 * 4;
  trial.schedule.loops[2].count = 3 * 5;
  trial.schedule.loops.insert(trial.schedule.loops.begin(), {Kind::tile, "k", 3, {}});
  CHECK(check_trial(trial, random));
}

TEST_CASE("weights that were packed for another algorithm are refused") {
  const Problem problem = parse_conv("mb1ic16ih8oc16oh8kh3ph1");
  const auto kernel = [&](const std::string& marks) {
    return compile(
        test::plan_for(problem,
                       parse_schedule("[T(2,k), T(16,x), T(16,p), T(16,c), V(k)] in=nhwc out=nhwc "
                                      "winograd=2x2 pack=in@0 pack=out@0" +
                                      marks),
                       Isa::avx2));
  };
  const Kernel table = kernel(""), other = kernel(" points=0,1,2");
  const Packed weights = table.pack_weights(std::vector<float>(table.weights_size(), 1.0F));
  const std::vector<float> input(table.input_size(), 1.0F);
  std::vector<float> output(table.output_size());
  table.run(input, weights, output);
  CHECK(output[9 * 16] == 144);  // The window of row 1 and column 1 lies inside the image.
  CHECK_THROWS_WITH_AS(other.run(input, weights, output),
                       "packed weights: in the order of another kernel; must be packed by this one",
                       Error);
}

TEST_CASE("schedules that no Winograd kernel can execute are refused with the rule") {
  const auto refusal = [](const std::string& problem, const std::string& schedule) {
    return error_of([&] {
      compile(test::plan_for(parse_problem(problem), parse_schedule(schedule), Isa::avx2));
    });
  };
  const std::string layer = "mb1ic16ih8oc16oh8kh3ph1";
  const std::string loops = "[T(2,k), T(16,x), T(16,p), T(16,c), V(k)] ";
  CHECK(refusal(layer, loops + "in=nChw16c out=nhwc winograd=2x2 pack=in@0 pack=out@0") ==
        "layout: vectors of 8 along c are not contiguous in nChw16c; they must be for the "
        "transforms of a Winograd convolution");
  CHECK(refusal("m8n8k8", "[T(8,i), T(8,k), V(j)] winograd=2x2 pack=in@0 pack=out@0") ==
        "winograd: the problem is no convolution");
  CHECK(refusal("mb1ic16ih8oc16oh4kh3ph1sh2", loops + "winograd=2x2 pack=in@0 pack=out@0")
            .starts_with("winograd: the height's stride is 2"));
  CHECK(refusal(layer, loops + "in=nhwc out=nhwc winograd=4x4 pack=in@0 pack=out@0") ==
        "schedule: dimension x is covered 16 times; its extent is 36");
}
