// SPDX-License-Identifier: Apache-2.0
// This test runs the searches with learned models on formulas whose optimum is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "baselines.h"
#include "error_of.h"
#include "evolve.h"
#include "formula_space.h"
#include "gbt.h"
#include "speed_model.h"

using namespace tileplan;

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr int kLength = 8;
const std::vector<int> kLengths(8, kLength);

/// Returns a time of at least 1 that grows with the distance from the point 1 2 3 4 5 6 7 0. Most
/// of the 8^8 points take more than 20.
double distance(const Numbers& x) {
  double sum = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto away = static_cast<double>(x[i] - static_cast<std::int64_t>((i + 1) % kLength));
    sum += away * away;
  }
  return sum;
}

template <class Search>
std::vector<std::string> run(const Search& search, int measurements, std::uint64_t seed,
                             double& best) {
  SearchSession session = toy::formula_session(distance, measurements);
  search(toy::box_space(kLengths), session, seed);
  std::vector<std::string> candidates;
  for (const Measured& one : session.history()) {
    candidates.push_back(one.candidate);
    best = std::min(best, one.mean());
  }
  return candidates;
}

template <class Search>
double best_of(const Search& search, int measurements) {
  double best = 1e9, again = 1e9;
  const std::vector<std::string> candidates = run(search, measurements, 3, best);
  CHECK(std::set<std::string>(candidates.begin(), candidates.end()).size() == candidates.size());
  CHECK(static_cast<int>(candidates.size()) == measurements);
  CHECK(run(search, measurements, 3, again) == candidates);
  return best;
}

}  // namespace

TEST_CASE("gbt and evolve: 320 measurements suffice where random search stays far away") {
  CHECK(best_of(uniform_search, 320) > 10);
  if (!why_no_trees().empty()) return;
  CHECK(best_of(gbt_search, 320) < 4);
  CHECK(best_of(evolve_search, 320) < 4);
}

TEST_CASE("gbt and evolve: the first batch is random, and is not learned from") {
  if (!why_no_trees().empty()) return;
  double best = 1e9;
  const std::vector<std::string> random = run(uniform_search, kBatch, 5, best);
  CHECK(run(gbt_search, kBatch, 5, best) == random);
  CHECK(run(evolve_search, kBatch, 5, best) == random);
}

TEST_CASE("gbt and evolve: end when everything was measured, failures included") {
  if (!why_no_trees().empty()) return;
  const auto measured = [](auto search) {
    SearchSession session(
        [](const std::string& candidate) {
          const std::int64_t first = toy::numbers(candidate).front();
          if (first > 2) return Evaluation{.samples = {}, .failure = "crashed"};
          return Evaluation{.samples = {1.0 + static_cast<double>(first)}, .failure = ""};
        },
        {.measurements = 1000, .seconds = 1}, [] { return 0.0; });
    search(toy::box_space({6, 5, 4}), session, 1);
    return session.history().size();
  };
  CHECK(measured(gbt_search) == 120);
  CHECK(measured(evolve_search) == 120);
}

TEST_CASE("gbt and evolve: without XGBoost both are refused with the package") {
  if (why_no_trees().empty()) return;
  for (const auto search : {gbt_search, evolve_search}) {
    SearchSession session = toy::formula_session(distance);
    CHECK(error_of([&] { search(toy::box_space(kLengths), session, 1); }) == why_no_trees());
  }
}

TEST_CASE("best points: the highest scores, each point once, the best first") {
  BestPoints best(2);
  CHECK(best.add(1, {1}));
  CHECK(best.add(3, {3}));
  CHECK_FALSE(best.add(3, {3}));
  CHECK_FALSE(best.add(1, {0}));
  CHECK(best.add(2, {2}));
  CHECK(best.sorted() == std::vector<SpacePoint>{{3}, {2}});
}
