// SPDX-License-Identifier: Apache-2.0
// This test runs search strategies on formulas for which their steps or the optimum are known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "actor_critic.h"
#include "baselines.h"
#include "close_to.h"
#include "droplet.h"
#include "formula_space.h"
#include "na2c.h"
#include "opevo.h"

using namespace tileplan;

namespace {

using Numbers = std::vector<std::int64_t>;

/// Returns a quadratic function of x with the minimum 1 at (3, 5).
double bowl(const Numbers& x) {
  return 1 + static_cast<double>((x[0] - 3) * (x[0] - 3) + (x[1] - 5) * (x[1] - 5));
}

/// Returns the fastest measurement, or null when no candidate was measured without a failure.
const Measured* best_of(const SearchSession& session) {
  const auto& history = session.history();
  const auto best = std::ranges::min_element(history, {}, &Measured::mean);
  return best == history.end() || best->evaluation.samples.empty() ? nullptr : &*best;
}

std::vector<std::string> candidates(const SearchSession& session) {
  std::vector<std::string> all;
  for (const Measured& one : session.history()) all.push_back(one.candidate);
  return all;
}

/// Returns the probability that a q-random walk from `start` stops at each vertex. The distribution
/// is (1 - q) sum over n of q^n M^n, where M moves to a uniformly drawn neighbour.
template <class Vertex, class Moves>
std::map<Vertex, double> stopping(const Vertex& start, const Moves& moves, double q) {
  std::map<Vertex, double> stops, here{{start, 1.0}};
  for (double left = 1; left > 1e-12; left *= q) {
    std::map<Vertex, double> next;
    for (const auto& [vertex, probability] : here) {
      stops[vertex] += (1 - q) * left * probability;
      const std::vector<Vertex> around = moves(vertex);
      for (const Vertex& other : around)
        next[other] += probability / static_cast<double>(around.size());
    }
    here = std::move(next);
  }
  return stops;
}

}  // namespace

TEST_CASE("session: a candidate is measured once, failures count, the budget ends it") {
  int calls = 0;
  SearchSession session(
      [&](const std::string& candidate) {
        ++calls;
        return candidate == "bad" ? Evaluation{.samples = {}, .failure = "crashed"}
                                  : Evaluation{.samples = {2, 4}, .failure = ""};
      },
      {.measurements = 2, .seconds = 10}, [] { return 0.0; });
  CHECK(best_of(session) == nullptr);
  CHECK(session.measure("bad")->speed() == 0);
  CHECK(best_of(session) == nullptr);
  CHECK(session.measure("good")->mean() == 3);
  CHECK(session.measure("new") == nullptr);
  CHECK(session.measure("good")->mean() == 3);
  CHECK(calls == 2);
  CHECK(best_of(session)->candidate == "good");
}

TEST_CASE("session: seconds and a request to stop end it as well") {
  double now = 0;
  bool stop = false;
  const auto evaluator = [&](const std::string&) {
    now += 6;
    return Evaluation{.samples = {1}, .failure = ""};
  };
  SearchSession timed(evaluator, {.measurements = 100, .seconds = 10}, [&] { return now; });
  CHECK(timed.measure("a") != nullptr);
  CHECK(timed.measure("b") != nullptr);
  CHECK(timed.measure("c") == nullptr);
  SearchSession stopped(
      evaluator, {}, [&] { return now; }, [&] { return stop; });
  CHECK(stopped.measure("a") != nullptr);
  stop = true;
  CHECK(stopped.measure("b") == nullptr);
  CHECK(best_of(stopped)->candidate == "a");
}

TEST_CASE("grid: mixed radix, the first coordinate fastest") {
  SearchSession session = toy::formula_session(bowl);
  grid_search(toy::box_space({2, 3}), session);
  CHECK(candidates(session) ==
        std::vector<std::string>{"0 0 ", "1 0 ", "0 1 ", "1 1 ", "0 2 ", "1 2 "});
}

TEST_CASE("grid: passes over broken chains and what repeats, and measures all else in its order") {
  StrategySpace space = toy::factor_space(12, 4);
  // Grid search must measure the points in this order: the first of the 3 indices changes fastest.
  std::vector<std::string> all;
  for (int c = 0; c < 6; ++c)
    for (int b = 0; b < 6; ++b)
      for (int a = 0; a < 6; ++a)
        if (chains_hold(space, {a, b, c})) all.push_back(space.text({a, b, c}));
  CHECK(all.size() == ordered_factorisations(12, 4).size());
  SearchSession session = toy::formula_session([](const Numbers&) { return 1.0; });
  grid_search(space, session);
  CHECK(candidates(session) == all);
  // The values (2, 3) and (3, 1) break the chain, since the first does not divide the second.
  CHECK(*last_broken(space, {1, 2, 0}) == 1);
  CHECK(*last_broken(space, {1, 2, 2}) == 0);
  CHECK_FALSE(last_broken(space, {0, 0, 5}).has_value());

  StrategySpace folded = toy::box_space({2, 3});
  folded.repeats = [](const SpacePoint& point) { return point[0] == 1; };
  SearchSession once = toy::formula_session(bowl);
  grid_search(folded, once);
  CHECK(candidates(once) == std::vector<std::string>{"0 0 ", "0 1 ", "0 2 "});
}

TEST_CASE("grid: ends with its session where nothing is valid") {
  int asked = 0;
  SearchSession session([](const std::string&) { return Evaluation{}; },
                        {.measurements = 1, .seconds = 1}, [] { return 0.0; },
                        [&] { return ++asked > 0; });
  StrategySpace space = toy::box_space({1000, 1000, 1000});
  space.accepts = [](const SpacePoint&) { return false; };
  grid_search(space, session);
  CHECK(asked == 1);
  CHECK(session.history().empty());
}

TEST_CASE("droplet: walks down a bowl by single steps and stops at the bottom") {
  SearchSession session = toy::formula_session(bowl);
  const DropletPath path =
      droplet_search(toy::box_space({9, 9}), session, {.origin = {0, 0}, .width = 1});
  CHECK(best_of(session)->candidate == "3 5 ");
  CHECK(path.candidates.size() == 1 + 3 + 5);
  // The search moves first to this neighbour, because its time is the shortest.
  CHECK(path.candidates[1] == SpacePoint{0, 1});
  CHECK(path.batches == 9);
}

TEST_CASE("droplet: speculation prepares the neighbours of the next point on the line") {
  SearchSession session = toy::formula_session(bowl);
  const StrategySpace space = toy::box_space({9, 9});
  const DropletPath with = droplet_search(space, session, {.origin = {0, 0}, .width = 16});
  // A speculative point may be the best of its batch, so fewer batches reach the same minimum.
  SearchSession plain = toy::formula_session(bowl);
  const DropletPath without = droplet_search(space, plain, {.origin = {0, 0}, .width = 1});
  CHECK(with.candidates.back() == without.candidates.back());
  CHECK(with.batches < without.batches);
  CHECK(session.history().size() > plain.history().size());
  // After (0,0) -> (0,1), the next point would be (0,2), whose neighbours are (1,2), (0,3), (0,1).
  CHECK(session.knows("1 2 "));
  CHECK(session.knows("0 3 "));
}

TEST_CASE("droplet: moves only when Student's test says so, and p = 1 asks the means alone") {
  // The samples {1, 1.02, 0.98} and {0.96, 0.98, 0.94} give p = 0.0705.
  const auto evaluator = [](const std::string& candidate) {
    const double shift = candidate == "0 " ? 0 : candidate == "1 " ? -0.04 : 1;
    return Evaluation{.samples = {1 + shift, 1.02 + shift, 0.98 + shift}, .failure = ""};
  };
  const StrategySpace space = toy::box_space({3});
  const auto moves = [&](double p_value) {
    SearchSession session(evaluator, {}, [] { return 0.0; });
    return droplet_search(space, session, {.origin = {0}, .p_value = p_value}).candidates.size() -
           1;
  };
  CHECK(moves(0.05) == 0);
  CHECK(moves(0.10) == 1);
  CHECK(moves(1) == 1);
}

TEST_CASE("droplet --variant tvm: all patterns of a step, the largest first, cut at the width") {
  SearchSession session = toy::formula_session(bowl);
  const DropletPath path =
      droplet_tvm(toy::box_space({9, 9}), session, {.origin = {1, 1}, .width = 4});
  const std::vector<std::string> order = candidates(session);
  REQUIRE(order.size() > 4);
  // The first speculative round moves from the origin by +-2 times (1,1), then (1,0), then (0,1).
  // Negative indices become 0.
  CHECK(order[0] == "1 1 ");
  CHECK(order[1] == "3 3 ");
  CHECK(order[2] == "0 0 ");
  CHECK(order[3] == "3 1 ");
  CHECK(path.candidates.size() >= 2);
}

TEST_CASE("q-random walk: the vertices' probabilities are those of the paper's formula") {
  const auto path = [](int place) { return places_beside(place, 3, Topology::discrete); };
  auto stops = stopping(0, path, 0.5);
  CHECK(stops[0] == close_to(7.0 / 12));
  CHECK(stops[1] == close_to(1.0 / 3));
  CHECK(stops[2] == close_to(1.0 / 12));
  const auto pair = [](int place) { return places_beside(place, 2, Topology::categorical); };
  CHECK(stopping(0, pair, 0.5)[0] == close_to(2.0 / 3));
}

TEST_CASE("q-random walk: over factorisations of 8 and 12") {
  auto eight = stopping(Factors{8, 1}, factor_moves, 0.5);
  CHECK(eight[{8, 1}] == close_to(26.0 / 45));
  CHECK(eight[{4, 2}] == close_to(14.0 / 45));
  CHECK(eight[{2, 4}] == close_to(4.0 / 45));
  CHECK(eight[{1, 8}] == close_to(1.0 / 45));
  auto twelve = stopping(Factors{12, 1}, factor_moves, 0.5);
  CHECK(twelve[{12, 1}] == close_to(404.0 / 715));
  CHECK(twelve[{6, 2}] == close_to(23.0 / 143));
  CHECK(twelve[{4, 3}] == close_to(328.0 / 2145));
  CHECK(twelve[{2, 6}] == close_to(10.0 / 143));
  CHECK(twelve[{3, 4}] == close_to(68.0 / 2145));
  CHECK(twelve[{1, 12}] == close_to(14.0 / 715));
  auto three = stopping(Factors{8, 1, 1}, factor_moves, 0.5);
  CHECK(three[{8, 1, 1}] == close_to(0.540780).epsilon(1e-6));
  CHECK(three[{4, 2, 1}] == close_to(0.163121).epsilon(1e-5));
  CHECK(three[{4, 1, 2}] == close_to(0.163121).epsilon(1e-5));
  CHECK(three[{2, 2, 2}] == close_to(0.05).epsilon(1e-6));
  CHECK(three[{2, 4, 1}] == close_to(0.026950).epsilon(1e-4));
  CHECK(three[{1, 8, 1}] == close_to(0.004610).epsilon(1e-3));
}

TEST_CASE("q-random walk: drawn walks stop as often as the formula says") {
  std::mt19937_64 random(11);
  constexpr int kDraws = 100000;
  std::map<Factors, int> counts;
  for (int i = 0; i < kDraws; ++i)
    ++counts[q_random_walk(Factors{8, 1}, factor_moves, 0.5, random)];
  const auto share = [&](const Factors& at) { return counts[at] / static_cast<double>(kDraws); };
  // Four standard errors of a share of 26/45 are 0.0062.
  CHECK(std::abs(share({8, 1}) - 26.0 / 45) < 0.0063);
  CHECK(std::abs(share({4, 2}) - 14.0 / 45) < 0.0063);
  CHECK(std::abs(share({1, 8}) - 1.0 / 45) < 0.002);
}

namespace {

/// Returns a time that is small when all factors are near the cube root of 5040.
double uneven(const Numbers& factors) {
  double sum = 0;
  for (const std::int64_t factor : factors) {
    const double distance = std::log(static_cast<double>(factor)) - std::log(5040.0) / 3;
    sum += distance * distance;
  }
  return 1 + sum;
}

}  // namespace

TEST_CASE("actor-critic: the gradient is that of the loss") {
  std::mt19937_64 random(5);
  ActorCritic network(4, 3, random);
  const std::vector<Experience> experiences{
      {.state = Eigen::Vector4d{0.5, -0.5, 0.25, 0}, .action = 1, .reward = 2},
      {.state = Eigen::Vector4d{-0.25, 0.5, 0.125, -0.5}, .action = 2, .reward = 0.5}};
  std::vector<double> advantages;
  advantages.reserve(experiences.size());
  for (const Experience& each : experiences)
    advantages.push_back(each.reward - network.value(each.state));
  const auto loss = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < experiences.size(); ++i) {
      const Experience& each = experiences[i];
      const double advantage = each.reward - network.value(each.state);
      sum +=
          advantage * advantage - std::log(network.policy(each.state)(each.action)) * advantages[i];
    }
    return sum;
  };
  const Eigen::VectorXd slope = network.gradient(experiences), start = network.weights();
  constexpr double kStep = 1e-6;
  for (Eigen::Index i = 0; i < start.size(); i += 7) {
    Eigen::VectorXd moved = start;
    moved(i) += kStep;
    network.set_weights(moved);
    const double above = loss();
    moved(i) -= 2 * kStep;
    network.set_weights(moved);
    CHECK(std::abs((above - loss()) / (2 * kStep) - slope(i)) < 1e-6 * (1 + std::abs(slope(i))));
  }
}

TEST_CASE("actor-critic: learns the action and the value of a state") {
  std::mt19937_64 random(5);
  ActorCritic network(2, 3, random);
  const Experience good{.state = Eigen::Vector2d{0.5, -0.5}, .action = 1, .reward = 3};
  const Experience bad{.state = good.state, .action = 0, .reward = 1};
  for (int i = 0; i < 500; ++i) network.learn({good, bad});
  CHECK(network.policy(good.state)(1) > 0.9);
  CHECK(std::abs(network.value(good.state) - 2) < 0.1);
}

TEST_CASE(
    "opevo, gbfs, na2c, genetic and annealing: near the optimum, no candidate twice, same seed") {
  const StrategySpace space = toy::factor_space(5040, 3);
  const auto check = [&](const char* name, double reached, auto search) {
    CAPTURE(name);
    SearchSession first = toy::formula_session(uneven, 200),
                  second = toy::formula_session(uneven, 200);
    search(first);
    search(second);
    CHECK(candidates(first) == candidates(second));
    const std::vector<std::string> all = candidates(first);
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
    CHECK(all.size() == 200);
    REQUIRE(best_of(first) != nullptr);
    CHECK(best_of(first)->mean() < reached);
  };
  // The optimum 15 * 16 * 21 takes 1.064, and half of all points take more than 7.
  check("opevo", 1.1, [&](SearchSession& session) { opevo_search(space, session, 3); });
  check("gbfs", 1.1, [&](SearchSession& session) { gbfs_search(space, session, {0, 0}, 3); });
  check("na2c", 1.3, [&](SearchSession& session) { na2c_search(space, session, {0, 0}, 3); });
  check("genetic", 1.3, [&](SearchSession& session) { genetic_search(space, session, 3); });
  check("annealing", 1.5, [&](SearchSession& session) { annealing_search(space, session, 3); });
}

TEST_CASE("all strategies go on when candidates fail, and end when everything was measured") {
  const StrategySpace space = toy::factor_space(12, 3);  // The space has 18 points.
  const auto half_fails = [](const std::string& candidate) {
    const Numbers factors = toy::numbers(candidate);
    if (factors[0] > 2) return Evaluation{.samples = {}, .failure = "crashed"};
    const double seconds = uneven(factors);
    return Evaluation{.samples = {seconds, seconds, seconds}, .failure = ""};
  };
  const auto measured = [&](auto search) {
    SearchSession session(half_fails, {.measurements = 100, .seconds = 1}, [] { return 0.0; });
    search(session);
    return session.history().size();
  };
  CHECK(measured([&](SearchSession& session) { grid_search(space, session); }) == 18);
  CHECK(measured([&](SearchSession& session) { opevo_search(space, session, 1); }) == 18);
  CHECK(measured([&](SearchSession& session) { genetic_search(space, session, 1); }) == 18);
  CHECK(measured([&](SearchSession& session) { annealing_search(space, session, 1); }) == 18);
  CHECK(measured([&](SearchSession& session) { gbfs_search(space, session, {0, 0}, 1); }) > 5);
  CHECK(measured([&](SearchSession& session) { na2c_search(space, session, {0, 0}, 1); }) > 5);
}
