// SPDX-License-Identifier: Apache-2.0
// This test checks plans and kernels of convolutions whose groups have fewer output channels than a
// vector has lanes.
#include <doctest/doctest.h>

#include <string>

#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

std::string layer(int channels, const std::string& rest) {
  return "mb1ic24ih9oc" + std::to_string(channels) + rest;
}

bool computes(const Plan& plan) { return check_kernel(compile(plan), 1).passed(); }

}  // namespace

TEST_CASE("one to seven output channels: right, and predicted to take no longer than a vector") {
  const Machine machine = detect_machine();
  // The few channels of a pixel lie in two cache lines more often than a whole vector of channels,
  // so that their prediction may be a little longer: by 4 % where vectors have less than 64 bytes,
  // and by 2 % elsewhere.
  const double most = machine.vector.lanes < 16 ? 1.04 : 1.02;
  for (const char* const rest : {"oh9kh3ph1", "oh9kh1"}) {
    const Plan vector = plan_conv(parse_conv(layer(machine.vector.lanes, rest)), machine);
    for (int channels = 1; channels <= 7; ++channels) {
      CAPTURE(channels);
      const Plan few = plan_conv(parse_conv(layer(channels, rest)), machine);
      CHECK(computes(few));
      CHECK(few.candidates[0].prediction.seconds <= most * vector.candidates[0].prediction.seconds);
    }
  }
}

TEST_CASE("depthwise with two and three output channels for each input channel") {
  const Machine machine = detect_machine();
  CHECK(computes(plan_conv(parse_conv("g20mb1ic20ih9oc40oh9kh3ph1"), machine)));
  CHECK(computes(plan_conv(parse_conv("g20mb1ic20ih9oc60oh5kh3sh2ph1"), machine)));
}

}  // namespace tileplan
