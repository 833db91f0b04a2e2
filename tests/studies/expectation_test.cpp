// SPDX-License-Identifier: Apache-2.0
// This test checks the schedules of the study `expectation`, and its results for made-up times.
#include "expectation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "close_to.h"
#include "nest.h"

using namespace tileplan;

namespace {

/// Returns the time of each schedule in seconds, which `seconds` computes from the tile sizes.
std::map<std::string, double> times(const ExpectationCase& one,
                                    const std::function<double(double, double)>& seconds) {
  std::map<std::string, double> all;
  for (const std::int64_t height : one.heights)
    for (const std::int64_t width : one.widths)
      all[to_string(one.schedule(height, width))] =
          seconds(static_cast<double>(height), static_cast<double>(width));
  return all;
}

}  // namespace

TEST_CASE("expectation: 17 x 17 different schedules, each of which covers its problem") {
  for (const int lanes : {8, 16})
    for (const ExpectationCase& one : expectation_cases(lanes)) {
      CAPTURE(one.name);
      const Computation computation = computation_of(one.problem);
      std::set<std::string> texts;
      for (const std::int64_t height : one.heights)
        for (const std::int64_t width : one.widths) {
          const Schedule schedule = one.schedule(height, width);
          CHECK_NOTHROW(resolve(schedule, computation, lanes));
          texts.insert(to_string(schedule));
        }
      CHECK(texts.size() == 17 * 17);
    }
}

TEST_CASE("expectation: a size that does not divide leaves a smaller last tile") {
  const ExpectationCase product = expectation_cases(16).front();
  CHECK(to_string(product.schedule(0, 0)) == "[T(44,j), T(125,i), T(800,k), U(8,i), V(j)]");
  CHECK(to_string(product.schedule(48, 64)) ==
        "[T(11,j), L(i,[20*48,1*40]), T(4,j), R(i), T(800,k), U(8,i), V(j)]");
}

TEST_CASE(
    "expectation: times that fall towards one size have a chain, behind a ridge they have none") {
  const ExpectationCase one = expectation_cases(16).front();
  const auto bowl = [](double height, double width) {
    return 1e-3 * (1 + std::abs(height - 64) + std::abs(width - 32));
  };
  const Surface smooth = measured_surface(one, times(one, bowl));
  const SurfaceShape open = shape_of(smooth);
  CHECK(open.value == close_to(1));  // The smallest time is 1 ms.
  CHECK(open.chain.size() == 1 + 8 + 2);
  CHECK(open.descent.back() == SpacePoint{8, 2});
  const SurfaceShape closed =
      shape_of(measured_surface(one, times(one, [&](double height, double width) {
                                  return height == 32 ? 1 : bowl(height, width);
                                })));
  CHECK(closed.chain.empty());
  CHECK(closed.minimum == SpacePoint{8, 2});
  CHECK(surface_text(smooth, closed).find("no falling chain leads there") != std::string::npos);
}

TEST_CASE("expectation: what was not measured is infinite and no minimum") {
  const ExpectationCase one = expectation_cases(16).front();
  std::map<std::string, double> some;
  some[to_string(one.schedule(8, 16))] = 0.5;
  const Surface surface = measured_surface(one, some);
  CHECK(std::isinf(surface.cost(0, 0)));
  CHECK(shape_of(surface).minimum == SpacePoint{1, 1});
  CHECK(shape_of(measured_surface(one, {})).chain.size() == 1);
}
