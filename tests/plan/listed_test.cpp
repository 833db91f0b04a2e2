// SPDX-License-Identifier: Apache-2.0
// This test checks that explain() rejects no schedule that plan() returns.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "random_computation.h"
#include "tileplan/explain.h"
#include "tileplan/plan.h"

namespace tileplan {
namespace {

/// Draws a convolution of up to 32 groups, with at most 8 input and 8 output channels in each.
ConvShape grouped_shape(toy::Random& random) {
  const auto power = [&](int most) { return std::int64_t{1} << toy::uniform(random, 0, most); };
  const std::int64_t g = power(5), taps = 1 + 2 * toy::uniform(random, 0, 1);
  const std::int64_t size = toy::uniform(random, 5, 14), pad = taps / 2;
  return parse_conv("g" + std::to_string(g) + "mb1ic" + std::to_string(g * power(3)) + "ih" +
                    std::to_string(size) + "oc" + std::to_string(g * power(3)) + "kh" +
                    std::to_string(taps) + "ph" + std::to_string(pad));
}

void check_listed(const ConvShape& shape, const Machine& machine, const Options& options) {
  CAPTURE(to_string(shape));
  const Plan plan = tileplan::plan(shape, machine, options);
  for (const Candidate& each : plan.candidates) {
    const Explanation explained = explain(shape, plan.machine, each.schedule, options);
    CHECK_MESSAGE(explained.rejected.empty(), to_string(each.schedule), ": ",
                  explained.rejected.empty() ? "" : explained.rejected.front());
  }
}

}  // namespace

TEST_CASE("the caches of explain hold what is listed, with blocks of several sizes too") {
  const Machine machine = load_machine("xeon-gold-6130");
  for (const char* name : {"yolo9000-13", "yolo9000-18", "resnet18-9", "resnet18-11"})
    check_listed(std::get<ConvShape>(parse_problem(name)), machine, {.top = 100});
}

TEST_CASE("what is listed of grouped convolutions can be compiled") {
  toy::Random random(20261122);
  const Machine machine = load_machine("xeon-gold-6130");
  for (int i = 0; i < 24; ++i)
    check_listed(grouped_shape(random), machine, {.top = 16, .threads = 1 + i % 2});
}

}  // namespace tileplan
