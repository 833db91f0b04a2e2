// SPDX-License-Identifier: Apache-2.0
// This test compares features of small schedules with values that were counted by hand.
#include "loop_features.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "small_computation.h"
#include "tileplan/schedule.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 16;
constexpr std::size_t kGroup = 11;  // There are 2 features per loop, and 3 per tensor.

std::vector<float> group_of(const Computation& computation, const std::vector<float>& features,
                            const std::string& dim, int loop) {
  const auto place = static_cast<std::size_t>(index(computation.dim(dim)) * kFeatureLoops + loop);
  const auto begin = features.begin() + static_cast<std::ptrdiff_t>(place * kGroup);
  return {begin, begin + kGroup};
}

}  // namespace

TEST_CASE("loop features: trips, place, touched elements, reuse and strides of one product") {
  const Computation gemm = computation_of(parse_problem("m8n32k4"));
  const std::vector<float> features = loop_features(
      gemm, parse_schedule("[T(2,i), T(4,k), U(4,i), U(2,j), V(j)] prefetch=8"), kLanes);
  // Inside the loop over k are 4 x 32 outputs, so 4 steps touch 16 elements of A, 128 of B and 128
  // of C.
  CHECK(group_of(gemm, features, "k", 0) == std::vector<float>{2, 1, 4, 5, 1, 7, 2, 32, 7, 2, 0});
  // Each trip of the loop over i advances by 4 rows. A row has 4 elements of A and 32 of C, so the
  // strides are 16 and 128 elements.
  CHECK(group_of(gemm, features, "i", 0) == std::vector<float>{1, 0, 5, 5, 16, 7, 3, 0, 8, 2, 128});
  const std::vector<float> none = group_of(gemm, features, "i", 1);
  CHECK(std::ranges::all_of(none, [](float one) { return one == 0; }));
  const auto dims = static_cast<std::size_t>(gemm.dims());
  REQUIRE(features.size() == dims * kFeatureLoops * kGroup + dims + 6);
  const float* const tile = features.data() + dims * kFeatureLoops * kGroup;
  CHECK(tile[index(gemm.dim("i"))] == 2);
  CHECK(tile[index(gemm.dim("j"))] == 5);
  CHECK(tile[dims] == 8);
}

TEST_CASE("loop features: schedules with other loops have as many features") {
  const Computation gemm = computation_of(parse_problem("m7n32k4"));
  const auto size = [&](const char* text) {
    return loop_features(gemm, parse_schedule(text), kLanes).size();
  };
  CHECK(size("[L(i,[1*4,1*3]), T(2,k), T(2,k), U(i), U(2,j), V(j)]") ==
        size("[T(2,j), T(7,i), T(4,k), V(j)]"));
}
