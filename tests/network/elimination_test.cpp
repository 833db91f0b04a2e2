// SPDX-License-Identifier: Apache-2.0
// This test compares eliminations with the enumeration of all values, or with costs given by hand.
#include "elimination.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace tileplan;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns the costs of all combinations of values in ascending order.
std::vector<double> all_costs(const CostSum& sum) {
  std::vector<double> costs;
  std::vector<int> values(sum.sizes.size());
  for (std::size_t at = 0; at < values.size();) {
    if (at == 0) costs.push_back(cost_of(sum, values));
    if (++values[at] < sum.sizes[at]) {
      at = 0;
    } else {
      values[at++] = 0;
    }
  }
  std::ranges::sort(costs);
  return costs;
}

CostSum random_sum(std::mt19937& random) {
  const auto below = [&](int limit) { return std::uniform_int_distribution(0, limit - 1)(random); };
  CostSum sum;
  for (int i = 0; i < 7; ++i) sum.sizes.push_back(1 + below(3));
  sum.is_auxiliary.assign(sum.sizes.size(), false);
  for (int t = 0; t < 10; ++t) {
    CostTable table{.scope = {below(7)}, .costs = {}};
    if (const int other = below(7); other != table.scope[0]) table.scope.push_back(other);
    std::ranges::sort(table.scope);
    int entries = 1;
    for (const int variable : table.scope) entries *= sum.sizes[static_cast<std::size_t>(variable)];
    for (int e = 0; e < entries; ++e) table.costs.push_back(below(1000));
    sum.tables.push_back(table);
  }
  return sum;
}

}  // namespace

TEST_CASE("elimination: the minimum and the runner-up are those of the enumeration") {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const CostSum sum = random_sum(random);
    const std::vector<double> costs = all_costs(sum);
    const Minimum minimum = minimise(sum);
    CHECK(minimum.cost == costs[0]);
    CHECK(minimum.bound == costs[0]);
    CHECK(cost_of(sum, minimum.values) == costs[0]);
    if (costs.size() > 1) CHECK(minimum.runner_up == costs[1]);
  }
}

TEST_CASE("elimination: small tables still give a bound and values that cost what is said") {
  std::mt19937 random(8);
  for (int i = 0; i < 200; ++i) {
    const CostSum sum = random_sum(random);
    const Minimum minimum = minimise(sum, 4);
    CHECK(minimum.bound <= all_costs(sum)[0]);
    CHECK(minimum.cost >= all_costs(sum)[0]);
    CHECK(cost_of(sum, minimum.values) == minimum.cost);
  }
}

TEST_CASE("elimination: other values of an auxiliary variable are no runner-up") {
  const CostSum sum{.sizes = {2, 2},
                    .is_auxiliary = {false, true},
                    .tables = {{.scope = {0, 1}, .costs = {5, 6, 9, kInfinity}}}};
  const Minimum minimum = minimise(sum);
  CHECK(minimum.values == std::vector<int>{0, 0});
  CHECK(minimum.cost == 5);
  CHECK(minimum.runner_up == 9);
}
