// SPDX-License-Identifier: Apache-2.0
// This test compares the neighbours of a schedule with a list made by hand. It checks that
// neighbours keep the register tile and the product of the trips of each dimension, that loops stay
// inside parallel loops and outside the list of blocks (lambda) of their dimension, and which marks
// are dropped.
#include "neighbours.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

using namespace tileplan;

namespace {

std::vector<std::string> texts(const std::string& schedule) {
  std::vector<std::string> result;
  for (const Schedule& each : neighbours(parse_schedule(schedule)))
    result.push_back(to_string(each));
  return result;
}

/// Returns the product of the loop counts of each dimension. Loops without a count, such as lists
/// of blocks (lambdas) and vectors, are left out.
std::map<std::string, std::int64_t> products(const Schedule& schedule) {
  std::map<std::string, std::int64_t> result;
  for (const Specifier& loop : schedule.loops)
    if (loop.count > 0) result.try_emplace(loop.dim, 1).first->second *= loop.count;
  return result;
}

}  // namespace

TEST_CASE("neighbours: each prime factor of two loops takes all positions once") {
  CHECK(texts("[T(4,i), T(3,j), V(j)]") ==
        std::vector<std::string>{"[T(2,i), T(3,j), T(2,i), V(j)]", "[T(3,j), T(4,i), V(j)]"});
}

TEST_CASE("neighbours: the product over each dim stays, and so does the register tile") {
  const Schedule schedule =
      parse_schedule("[T(16,k), T(34,h), T(9,r), T(256,c), U(2,w), U(2,k), V(k)]");
  const auto all = neighbours(schedule);
  CHECK(all.size() > 10);
  for (const Schedule& each : all) {
    CHECK(products(each) == products(schedule));
    CHECK(std::equal(each.loops.end() - 3, each.loops.end(), schedule.loops.end() - 3));
  }
}

TEST_CASE("neighbours: a loop stays outside the lambda of its dim and inside parallel loops") {
  for (const std::string& each : texts("[P(2,k), T(2,h), L(h,[1*4,1*6]), T(5,c), U(h), V(k)]")) {
    CAPTURE(each);
    CHECK(each.starts_with("[P(2,k), "));
    CHECK(each.find("T(2,h)") < each.find("L(h,"));
  }
}

TEST_CASE("neighbours: marks that name a place of the original are dropped") {
  for (const Schedule& each :
       neighbours(parse_schedule("[T(4,i), T(3,j), V(j)] prefetch=8 ahead=0"))) {
    CHECK_FALSE(each.ahead);
    CHECK(each.prefetch == 8);
  }
}
