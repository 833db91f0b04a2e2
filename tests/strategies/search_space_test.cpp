// SPDX-License-Identifier: Apache-2.0
// This test checks the search spaces of the factors of a number and of schedules.
#include "search_space.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "formula_space.h"
#include "nest.h"
#include "schedule_space.h"
#include "tileplan/error.h"

using namespace tileplan;

TEST_CASE("factorisations: 34 over two loops has four, in order") {
  CHECK(ordered_factorisations(34, 2) == std::vector<Factors>{{1, 34}, {2, 17}, {17, 2}, {34, 1}});
  CHECK(ordered_factorisations(1, 3) == std::vector<Factors>{{1, 1, 1}});
}

TEST_CASE("factor moves: a prime goes from one entry to another") {
  CHECK(factor_moves({12, 1}) == std::vector<Factors>{{6, 2}, {4, 3}});
  CHECK(factor_moves({1, 1}).empty());
  CHECK(factor_moves({8, 1, 1}) == std::vector<Factors>{{4, 2, 1}, {4, 1, 2}});
}

TEST_CASE("chains: values 2, 4 of 12 are the factors 2, 2, 3, and back") {
  const StrategySpace space = toy::factor_space(12, 3);
  SpacePoint point{1, 3};  // The divisors are 1 2 3 4 6 12.
  CHECK(factors_of(space.chains.front(), point) == Factors{2, 2, 3});
  set_factors(space.chains.front(), {3, 2, 2}, point);
  CHECK(point == SpacePoint{2, 4});
  CHECK(is_valid(space, point));
  // This point is invalid, because the size 3 does not divide 4.
  CHECK_FALSE(is_valid(space, {2, 3}));
}

TEST_CASE("neighbours: the nearest valid place on either side of each coordinate") {
  const StrategySpace space = toy::factor_space(12, 3);
  // The value 2 can change to 3 or 1, which divide 6. The value 6 can change to 12 or 4.
  CHECK(neighbours(space, {1, 4}) == std::vector<SpacePoint>{{2, 4}, {0, 4}, {1, 5}, {1, 3}});
  CHECK(neighbours(space, {0, 0}) == std::vector<SpacePoint>{{0, 1}});
}

TEST_CASE("random points are valid and reach every factorisation") {
  const StrategySpace space = toy::factor_space(12, 3);
  std::mt19937_64 random(5);
  std::set<SpacePoint> seen;
  for (int i = 0; i < 500; ++i) {
    seen.insert(random_point(space, random));
    CHECK(is_valid(space, *seen.rbegin()));
  }
  CHECK(seen.size() == ordered_factorisations(12, 3).size());
}

TEST_CASE("random points: a space without valid points is refused") {
  StrategySpace space = toy::factor_space(12, 3);
  space.accepts = [](const SpacePoint&) { return false; };
  std::mt19937_64 random(5);
  CHECK_THROWS_WITH_AS(random_point(space, random),
                       doctest::Contains("none of 100000 random points is valid"), Error);
}

namespace {

struct Layer {
  Machine machine = load_machine("xeon-gold-6130");
  Computation computation = computation_of(parse_problem("mb1ic64ih34oc128oh34kh3ph1"));
  ScheduleSpace space{computation, machine, [](const Schedule&) { return true; }};
};

}  // namespace

TEST_CASE("schedule space: random points are schedules that cover the problem") {
  const Layer layer;
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const SpacePoint point = random_point(layer.space.space(), random);
    const Schedule schedule = layer.space.schedule(point);
    CAPTURE(to_string(schedule));
    CHECK_NOTHROW(resolve(schedule, layer.computation, layer.machine.vector.lanes));
    CHECK(parse_schedule(layer.space.space().text(point)) == schedule);
  }
}

TEST_CASE("schedule space: the naive schedule has one loop per dim and no prefetches") {
  const Layer layer;
  const Schedule naive = layer.space.schedule(layer.space.naive());
  std::set<std::string> dims;
  for (const Specifier& one : naive.loops)
    if (one.kind == Kind::tile) CHECK(dims.insert(one.dim).second);
  CHECK(naive.prefetch == 0);
}

TEST_CASE("schedule space: where the first layout has no kernels, the naive schedule has another") {
  const Machine machine = load_machine("xeon-gold-6130");
  const Computation computation = computation_of(parse_problem("mb1ic64ih34oc128oh34kh3ph1"));
  const ScheduleSpace space(computation, machine,
                            [](const Schedule& schedule) { return schedule.in == Layout::nhwc; });
  CHECK(space.schedule(space.naive()).in == Layout::nhwc);
}

TEST_CASE("schedule space: the lambda moves outwards past loops of its dim, and no further") {
  const Layer layer;
  const StrategySpace& space = layer.space.space();
  std::mt19937_64 random(2);
  std::size_t lambda = 0;
  while (space.coordinates[lambda].name != "lambda") ++lambda;
  for (int found = 0; found < 20;) {
    SpacePoint point = random_point(space, random);
    if (point[lambda] == 0) continue;
    ++found;
    const Schedule raised = layer.space.schedule(point);
    CAPTURE(to_string(raised));
    int inside = -1;
    std::string dim;
    for (const Specifier& one : raised.loops) {
      if (one.kind == Kind::lambda) inside = 0, dim = one.dim;
      if (inside >= 0 && one.kind == Kind::tile && one.dim == dim) ++inside;
    }
    CHECK(inside == point[lambda]);
    point[lambda] = 9;
    CHECK_FALSE(is_valid(space, point));
  }
}

TEST_CASE("schedule space: the input is packed, and weights are prefetched, at loops that exist") {
  const Layer layer;
  const StrategySpace& space = layer.space.space();
  const auto place = [&](const std::string& name) {
    std::size_t at = 0;
    while (space.coordinates[at].name != name) ++at;
    return at;
  };
  const std::size_t pack = place("pack"), ahead = place("ahead");
  SpacePoint point = layer.space.naive();
  CHECK_FALSE(layer.space.schedule(point).pack_input.has_value());
  point[pack] = 1;
  const int outermost = layer.space.schedule(point).pack_input.value();
  point[pack] = 2;
  CHECK(layer.space.schedule(point).pack_input.value() > outermost);
  point[ahead] = 3;
  CHECK(layer.space.schedule(point).ahead == 2);
  CHECK(parse_schedule(space.text(point)) == layer.space.schedule(point));
  CHECK(space.coordinates[pack].values == 3);
  const SpacePoint untiled = layer.space.untiled(point);
  CHECK(untiled[pack] == 0);
  CHECK(untiled[ahead] == 0);
}

TEST_CASE("schedule space: the model's choice is a point of it") {
  const Layer layer;
  const SpacePoint choice = layer.space.model_choice();
  CHECK(is_valid(layer.space.space(), choice));
  CHECK(is_valid(layer.space.space(), layer.space.untiled(choice)));
}

TEST_CASE("schedule space: what has no kernel is never a neighbour") {
  const Machine machine = load_machine("xeon-gold-6130");
  const Computation computation = computation_of(parse_problem("m64n64k64"));
  const ScheduleSpace all(computation, machine, [](const Schedule&) { return true; });
  const ScheduleSpace plain(computation, machine,
                            [](const Schedule& schedule) { return !schedule.nontemporal; });
  CHECK(neighbours(all.space(), all.naive()).size() ==
        neighbours(plain.space(), plain.naive()).size() + 1);
}

TEST_CASE("schedule space: a blocked layout that needs tiles is left when they are taken away") {
  const Machine machine = load_machine("xeon-gold-6130");
  const Computation computation = computation_of(parse_problem("mb1ic64ih34oc128oh34kh3ph1"));
  const ScheduleSpace space(computation, machine, [](const Schedule& schedule) {
    const auto loops_of_c = std::count_if(
        schedule.loops.begin(), schedule.loops.end(),
        [](const Specifier& one) { return one.kind == Kind::tile && one.dim == "c"; });
    return schedule.in == Layout::nhwc || (schedule.in == Layout::nChw16c && loops_of_c > 1);
  });
  std::mt19937_64 random(3);
  SpacePoint blocked = random_point(space.space(), random);
  while (space.schedule(blocked).in != Layout::nChw16c)
    blocked = random_point(space.space(), random);
  const SpacePoint untiled = space.untiled(blocked);
  CHECK(is_valid(space.space(), untiled));
  CHECK(space.schedule(untiled).in == Layout::nhwc);
}

TEST_CASE("schedule space: order classes repeat where they sort the loops there are alike") {
  const Layer layer;
  const StrategySpace& space = layer.space.space();
  std::mt19937_64 random(4);
  const auto classes = static_cast<int>(space.coordinates[1].values);
  const auto levels = static_cast<int>(layer.machine.caches.size());
  for (int i = 0; i < 5; ++i) {
    SpacePoint point = random_point(space, random);
    std::fill_n(point.begin() + 1, levels, 0);
    std::set<std::string> texts;
    std::size_t first = 0, all = 0;
    for (bool more = true; more;) {
      const bool is_new = texts.insert(space.text(point)).second;
      if (space.repeats(point)) CHECK_FALSE(is_new);
      first += space.repeats(point) ? 0 : 1;
      ++all;
      int level = 1;
      for (; level <= levels && ++point[level] == classes; ++level) point[level] = 0;
      more = level <= levels;
    }
    CHECK(first >= texts.size());
    CHECK(first < all);
  }
}
