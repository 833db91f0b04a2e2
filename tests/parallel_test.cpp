// SPDX-License-Identifier: Apache-2.0
// TTile's three parallel variants, and the loops alone.
#include "parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nest.h"
#include "toy.h"

using namespace tileplan;

namespace {

std::vector<std::string> forms(const std::string& text, int cores) {
  const Computation conv = toy::conv({.k = 64, .c = 8, .h = 6, .w = 4});
  std::vector<std::string> texts;
  for (const Schedule& form : with_parallel_forms(conv, parse_schedule(text), cores))
    texts.push_back(to_string(form));
  return texts;
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

constexpr const char* kLoops = "[T(2,k), T(2,c), T(3,h), T(2,k), T(2,h), T(4,c), U(4,w), V(k)]";

}  // namespace

TEST_CASE("parallel: one core has no P loops") {
  CHECK(forms(kLoops, 1) == std::vector<std::string>{kLoops});
}

TEST_CASE("parallel: the longest run, all with reductions sunk, all with reductions hoisted") {
  const std::vector<std::string> two = forms(kLoops, 2);
  CHECK(contains(two, "[T(2,k), T(2,c), P(3,h), P(2,k), P(2,h), T(4,c), U(4,w), V(k)]"));
  CHECK(contains(two, "[P(2,k), P(3,h), P(2,k), P(2,h), T(2,c), T(4,c), U(4,w), V(k)]"));
  CHECK(contains(two, "[T(2,c), P(2,k), P(3,h), P(2,k), P(2,h), T(4,c), U(4,w), V(k)]"));
  CHECK(contains(two, "[P(2,k), T(2,c), T(3,h), T(2,k), T(2,h), T(4,c), U(4,w), V(k)]"));
}

TEST_CASE("parallel: a loop with fewer trips than cores is not shared alone") {
  for (const std::string& form : forms(kLoops, 3)) CHECK(form.rfind("[P(2,k), T(2,c)", 0) != 0);
}

TEST_CASE("parallel: lambdas stay as they are") {
  const Computation conv = toy::conv({.k = 64, .c = 8, .h = 6, .w = 17});
  const Schedule lambda = parse_schedule("[T(6,h), L(w,[1*8,1*9]), T(4,k), T(8,c), U(w), V(k)]");
  for (const Schedule& form : with_parallel_forms(conv, lambda, 2))
    CHECK_NOTHROW(resolve(form, conv, 16));
}
