// SPDX-License-Identifier: Apache-2.0
// This test compares emitted C of Winograd schedules with assembled kernels and with exact results.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "emitted_code.h"
#include "emitted_equal.h"
#include "random_winograd.h"
#include "target.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "winograd_reference.h"
#include "winograd_rules.h"

using namespace tileplan;
using namespace tileplan::test::emitted;
using test::pick;
using test::Random;

namespace {

struct Trial {
  ConvShape shape;
  Schedule schedule;
  Epilogue epilogue;
};

Trial random_trial(Random& random, Target target) {
  const int lanes = lanes_of(target);
  Trial trial{.shape = test::random_winograd_shape(random, 10), .schedule = {}, .epilogue = {}};
  trial.schedule = test::WinogradDraw(random, trial.shape, lanes).schedule();
  const Layout layouts[] = {Layout::nhwc, Layout::nchw,
                            lanes == 16 ? Layout::nChw16c : Layout::nChw8c};
  trial.schedule.in = layouts[pick(random, 0, 2)];
  trial.schedule.out = layouts[pick(random, 0, 2)];
  return trial;
}

/// Returns the largest ratio of an output's error to its tolerance, which is four standard
/// deviations.
double share_of_tolerance(const Trial& trial, const Computation& computation, const Run& run) {
  const TensorLayout output = layout_of(computation, Operand::output, trial.schedule.out);
  const Operands operands{{run.input, layout_of(computation, Operand::input, trial.schedule.in)},
                          {run.weights, layout_of(computation, Operand::weights, Layout::plain)}};
  const std::vector<double> exact = reference(computation, operands, output);
  const WinogradErrors errors = winograd_errors(
      computation, operands, output, winograd_tile(trial.shape, *trial.schedule.winograd));
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = test::element_error(run.output[i], exact[i]);
    if (error > 0) largest = std::max(largest, error / (kMostDeviations * errors.deviation[i]));
  }
  return largest;
}

/// Compares the C of a random Winograd convolution with the assembled kernel if there is one for
/// the target, and with the definition if the convolution has no epilogue. Returns false when a
/// layout does not fit the shape.
bool check_trial(const TemporaryFolder& folder, Target target, unsigned seed) {
  Random random(seed);
  Trial trial = random_trial(random, target);
  const std::optional<Isa> isa = parse_isa(to_string(target));
  const bool is_assembled = isa && *isa != Isa::neon;
  if (is_assembled && seed % 2 == 0) trial.epilogue = test::random_epilogue(random);
  CAPTURE(seed);
  CAPTURE(to_string(target));
  CAPTURE(to_string(trial.shape));
  CAPTURE(to_string(trial.schedule));
  CAPTURE(to_string(trial.epilogue));
  try {
    const std::string text =
        emit_c(trial.shape, trial.schedule,
               {.target = target, .name = "tileplan", .epilogue = trial.epilogue})
            .source;
    const std::vector<std::string> all = compilers();
    const Compiled code(folder, all[seed % all.size()], text);
    const Computation computation = computation_of(trial.shape);
    const Run run =
        run_emitted(random, code, computation, trial.schedule, packed_floats(text), trial.epilogue);
    if (trial.epilogue == Epilogue{}) CHECK(share_of_tolerance(trial, computation, run) <= 1);
    if (is_assembled) check_kernel_equal(trial.shape, trial.schedule, *isa, run);
    return true;
  } catch (const Error& error) {
    CHECK_MESSAGE(test::says_layout_does_not_fit(error.what()), error.what());
    return false;
  }
}

void check_seeds(Target target, unsigned first, unsigned last) {
  if (!test::emitted::host_has(target)) return;
  const TemporaryFolder folder;
  int checked = 0;
  for (unsigned seed = first; seed <= last; ++seed)
    checked += check_trial(folder, target, seed) ? 1 : 0;
  CHECK(2 * checked >= static_cast<int>(last - first));
}

}  // namespace

TEST_CASE("random Winograd convolutions in C for AVX-512") { check_seeds(Target::avx512, 1, 6); }
TEST_CASE("random Winograd convolutions in C for AVX2") { check_seeds(Target::avx2, 11, 16); }
TEST_CASE("random Winograd convolutions in C for short vectors of AVX-512") {
  check_seeds(Target::avx512vl, 21, 23);
}
TEST_CASE("random Winograd convolutions in C for NEON and without vectors") {
  check_seeds(Target::neon, 31, 33);
  check_seeds(Target::scalar, 41, 43);
}
