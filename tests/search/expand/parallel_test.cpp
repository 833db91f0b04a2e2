// SPDX-License-Identifier: Apache-2.0
// This test checks the parallel variants of a schedule: three in which several loops are parallel,
// and those with one parallel loop. It also checks when lists of blocks become parallel.
#include "parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nest.h"
#include "random_computation.h"

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

TEST_CASE("parallel: boxes stay outside the reductions that a moved loop leaves to the call") {
  const std::vector<std::string> two =
      forms("[T(2,c), T(6,h), T(4,c), U(4,w), U(4,k), V(k)] pack=in@1", 2);
  CHECK(contains(two, "[T(2,c), P(6,h), T(4,c), U(4,w), U(4,k), V(k)] pack=in@1"));
  CHECK(contains(two, "[P(6,h), T(2,c), T(4,c), U(4,w), U(4,k), V(k)] pack=in@0"));
}

TEST_CASE("parallel: loops with fewer trips than cores are shared all the same") {
  CHECK(
      contains(forms(kLoops, 3), "[P(2,k), T(2,c), T(3,h), T(2,k), T(2,h), T(4,c), U(4,w), V(k)]"));
  const std::vector<std::string> many = forms(kLoops, 100);
  CHECK(contains(many, "[P(2,k), P(3,h), P(2,k), P(2,h), T(2,c), T(4,c), U(4,w), V(k)]"));
}

TEST_CASE("parallel: lambdas stay as they are, or are shared too where nothing else is even") {
  const Computation conv = toy::conv({.k = 64, .c = 8, .h = 6, .w = 17});
  const Schedule lambda = parse_schedule("[T(6,h), L(w,[1*8,1*9]), T(4,k), T(8,c), U(w), V(k)]");
  const auto forms_on = [&](int cores) {
    std::vector<std::string> texts;
    for (const Schedule& form : with_parallel_forms(conv, lambda, cores)) {
      CHECK_NOTHROW(resolve(form, conv, 16));
      texts.push_back(to_string(form));
    }
    return texts;
  };
  for (const std::string& even : forms_on(2))
    CHECK(even.find("L(w,[1*8,1*9])") != std::string::npos);
  // The loops T(6,h) and T(4,k) have 24 iterations, which do not divide evenly among 5 cores, so
  // that the list of blocks becomes parallel too.
  std::vector<std::string> texts = forms_on(5);
  CHECK(contains(texts, "[P(6,h), L(w,[1*8,1*9]), T(4,k), T(8,c), U(w), V(k)]"));
  CHECK(contains(texts, "[P(6,h), P(w,[1*8,1*9]), P(4,k), T(8,c), U(w), V(k)]"));
  std::sort(texts.begin(), texts.end());
  CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
}

TEST_CASE("parallel: a loop of a prime is shared by its blocks") {
  const Computation conv = toy::conv({.k = 16, .c = 8, .h = 1, .w = 61});
  const Schedule lambda = parse_schedule("[L(w,[1*5,7*8]), T(8,c), U(w), V(k)]");
  const std::vector<Schedule> two = with_parallel_forms(conv, lambda, 2);
  REQUIRE(two.size() == 2);
  CHECK(to_string(two.back()) == "[P(w,[1*5,7*8]), T(8,c), U(w), V(k)]");
}
