// SPDX-License-Identifier: Apache-2.0
// This test checks the order of candidates, the rules for ties, and that near-copies are dropped.
#include "rank.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tileplan {
namespace {

Candidate candidate(const std::string& schedule, double seconds, double bytes) {
  Candidate result;
  result.schedule = parse_schedule(schedule);
  result.prediction.seconds = seconds;
  result.prediction.levels = {{.name = "L1", .bytes = bytes, .seconds = 0}};
  return result;
}

const std::string kA = "[T(2,k), T(4,w), T(8,c), U(7,w), V(k)]";
const std::string kB = "[T(4,w), T(2,k), T(8,c), U(7,w), V(k)]";
const std::string kOtherTile = "[T(2,k), T(2,w), T(8,c), U(14,w), V(k)]";

}  // namespace

TEST_CASE("rank: fastest first") {
  const auto best =
      best_first({candidate(kA, 3, 1), candidate(kB, 1, 2), candidate(kOtherTile, 2, 3)}, 10);
  REQUIRE(best.size() == 3);
  CHECK(best[0].prediction.seconds == 1);
  CHECK(best[1].prediction.seconds == 2);
  CHECK(best[2].prediction.seconds == 3);
}

TEST_CASE("rank: equal times are ordered by text, whatever the order given") {
  const auto one = best_first({candidate(kA, 1, 1), candidate(kB, 1, 2)}, 10);
  const auto two = best_first({candidate(kB, 1, 2), candidate(kA, 1, 1)}, 10);
  CHECK(one == two);
  CHECK(to_string(one[0].schedule) < to_string(one[1].schedule));
}

TEST_CASE("rank: at most so many are kept") {
  CHECK(best_first({candidate(kA, 3, 1), candidate(kB, 1, 2), candidate(kOtherTile, 2, 3)}, 2)
            .size() == 2);
}

TEST_CASE("rank: equal schedules are kept once") {
  CHECK(best_first({candidate(kA, 1, 1), candidate(kA, 1, 1)}, 10).size() == 1);
}

TEST_CASE(
    "rank: another loop order that moves the same bytes is a near-copy, the faster one stays") {
  const auto best = best_first({candidate(kA, 2, 5), candidate(kB, 1, 5)}, 10);
  REQUIRE(best.size() == 1);
  CHECK(best[0].schedule == parse_schedule(kB));
}

TEST_CASE("rank: equal bytes by another register tile or layout are no copy") {
  const auto best = best_first(
      {candidate(kA, 1, 5), candidate(kOtherTile, 1, 5), candidate(kA + " in=nhwc out=nhwc", 1, 5)},
      10);
  CHECK(best.size() == 3);
}

TEST_CASE("rank: within 0.5 % of the best, the longer reduction goes first") {
  Candidate shorter = candidate(kA, 1.00, 1), longer = candidate(kB, 1.004, 2),
            slower = candidate(kOtherTile, 1.02, 3);
  shorter.prediction.reduction_steps = 64;
  longer.prediction.reduction_steps = 512;
  slower.prediction.reduction_steps = 4096;
  const auto best = best_first({shorter, longer, slower}, 10);
  CHECK(best[0].schedule == longer.schedule);
  CHECK(best[1].schedule == shorter.schedule);
  CHECK(best[2].schedule == slower.schedule);
}

TEST_CASE("rank: of those tied, the one that needs half of the bytes from beyond L2 goes first") {
  Candidate often = candidate(kA, 1.00, 1), once = candidate(kB, 1.02, 1);
  often.prediction.levels = {{.name = "L1", .bytes = 1e6}, {.name = "L2", .bytes = 8e6}};
  once.prediction.levels = {{.name = "L1", .bytes = 9e6}, {.name = "L2", .bytes = 1e6}};
  CHECK(best_first({often, once}, 10)[0].schedule == once.schedule);
  // Both numbers of bytes lie between the same two powers of two, so the predicted times determine
  // the order.
  once.prediction.levels[1].bytes = 7e6;
  often.prediction.levels[1].bytes = 8e6;
  CHECK(best_first({often, once}, 10)[0].schedule == often.schedule);
}

TEST_CASE("rank: where a link is the bottleneck, tiles that store neighbours go first") {
  Candidate apart = candidate("[T(4,i), T(16,j), T(4,k), U(16,i), V(j)]", 1.00, 1);
  Candidate adjacent = candidate("[T(16,i), T(4,j), T(4,k), U(4,i), U(4,j), V(j)]", 1.004, 1);
  for (Candidate* const each : {&apart, &adjacent})
    each->prediction.levels = {{.name = "L1", .bytes = 1e6}};
  CHECK(best_first({apart, adjacent}, 10)[0].schedule == apart.schedule);
  apart.prediction.bottleneck = adjacent.prediction.bottleneck = "L1";
  CHECK(best_first({apart, adjacent}, 10)[0].schedule == adjacent.schedule);
}

TEST_CASE("rank: the rule that decides is the first in which two keys differ") {
  Candidate one = candidate(kA, 1.00, 1), two = candidate(kB, 1.004, 1);
  const auto rule = [&] { return decide(rank_key_of(one, 1), rank_key_of(two, 1)).rule; };
  CHECK(rule() == Rule::seconds);
  CHECK(decide(rank_key_of(one, 1), rank_key_of(one, 1)).order == 0);
  two.schedule.loops.pop_back();
  CHECK(rule() == Rule::loops);
  two.prediction.reduction_steps = 2;
  CHECK(rule() == Rule::reduction_steps);
  CHECK(rank_key_of(two, 1) < rank_key_of(one, 1));
  two.prediction.levels.push_back({.name = "L2", .bytes = 4});
  CHECK(rule() == Rule::bytes_beyond_second_level);
  CHECK(rank_key_of(one, 1) < rank_key_of(two, 1));
  two.prediction.seconds = 1.04;  // With this time, the candidates no longer tie.
  CHECK(rule() == Rule::seconds);
  CHECK(rank_key_of(one, 1) < rank_key_of(two, 1));
  one = candidate(kA, 1, 1), two = candidate(kB, 1, 1);
  CHECK(rule() == Rule::text);
}

TEST_CASE("rank: other register tiles come before the second of one when few are kept") {
  const auto best =
      best_first({candidate(kA, 1, 1), candidate(kB, 1.2, 2), candidate(kOtherTile, 1.4, 3)}, 2);
  CHECK(best[0].schedule == parse_schedule(kA));
  CHECK(best[1].schedule == parse_schedule(kOtherTile));
}

TEST_CASE(
    "rank: similar schedules get shares of a list, so a shorter list is no start of a longer") {
  // Schedules with equal tiles get a quarter of the places, rounded down: 2 of ten and 1 of six.
  std::vector<Candidate> all{candidate(kA, 1, 1), candidate(kB, 1.1, 2)};
  for (int tile = 1; tile <= 9; ++tile)
    all.push_back(candidate("[T(2,k), T(8,c), U(" + std::to_string(tile) + ",h), V(k)]",
                            1.2 + 0.01 * tile, 1));
  const std::vector<Candidate> six = best_first(all, 6), ten = best_first(all, 10);
  CHECK(six[0] == ten[0]);
  CHECK(ten[1] == all[1]);
  CHECK(six[1] == all[2]);
  for (const Candidate& each : six) CHECK(std::ranges::find(ten, each) != ten.end());
}

TEST_CASE("rank: places are dealt out to the layouts that are tied with the best") {
  const std::string nhwc = " in=nhwc out=nhwc", blocked = " in=nChw16c out=nChw16c";
  const std::vector<std::string> tiles{"U(3,w)", "U(4,w)", "U(5,w)", "U(6,w)", "U(7,w)"};
  const auto best_with = [&](double blocked_seconds) {
    std::vector<Candidate> all;
    for (const std::string& tile : tiles) {
      const std::string loops = "[T(2,k), T(8,c), " + tile + ", V(k)]";
      all.push_back(candidate(loops + nhwc, 1, 1));
      all.push_back(candidate(loops + blocked, blocked_seconds, 1));
    }
    int in_blocks = 0;
    for (const Candidate& each : best_first(std::move(all), 4))
      in_blocks += each.schedule.in == Layout::nChw16c ? 1 : 0;
    return in_blocks;
  };
  CHECK(best_with(1.02) == 2);
  CHECK(best_with(1.04) == 0);
}

TEST_CASE("rank: quotas do not let in what is far behind") {
  std::vector<Candidate> all;
  for (int bytes = 1; bytes <= 10; ++bytes) all.push_back(candidate(kA, 1 + 0.04 * bytes, bytes));
  all.push_back(candidate(kOtherTile, 2, 1));
  for (const Candidate& each : best_first(all, 10)) CHECK(each.prediction.seconds < 2);
  CHECK(std::ranges::any_of(best_first(all, 11),
                            [](const Candidate& each) { return each.prediction.seconds == 2; }));
}

TEST_CASE("rank: of ten, two are of each layout within half of the fastest") {
  const auto in_nhwc = [&](double nhwc_seconds, int keep) {
    std::vector<Candidate> all;
    for (int tile = 1; tile <= 20; ++tile) {
      const std::string loops = "[T(2,k), T(8,c), U(" + std::to_string(tile) + ",w), V(k)]";
      all.push_back(candidate(loops + " in=nChw16c out=nChw16c", 1, 1));
      all.push_back(candidate(loops + " in=nhwc out=nhwc", nhwc_seconds, 1));
    }
    const std::vector<Candidate> best = best_first(std::move(all), keep);
    CHECK(best.size() == static_cast<std::size_t>(keep));
    CHECK(best.front().schedule.in == Layout::nChw16c);
    return std::count_if(best.begin(), best.end(),
                         [](const Candidate& each) { return each.schedule.in == Layout::nhwc; });
  };
  CHECK(in_nhwc(1.4, 10) == 2);
  CHECK(in_nhwc(1.4, 40) == 20);
  CHECK(in_nhwc(1.6, 10) == 0);
  CHECK(in_nhwc(1.4, 9) == 0);
}

}  // namespace tileplan
