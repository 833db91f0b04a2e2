// SPDX-License-Identifier: Apache-2.0
// This test compares the additional time for reading rows of weights in place with values computed
// by hand.
#include "apart_rows.h"

#include <doctest/doctest.h>

#include <string>

#include "close_to.h"
#include "computation.h"
#include "cost.h"
#include "cost_machine.h"

using namespace tileplan;

TEST_CASE(
    "apart rows: rows of weights in place take cycles times the share of sets that they leave") {
  const Machine any = machine({cache("L1", 4096, 1, 1e15)});
  const auto exposed = [&](const std::string& problem, const std::string& text) {
    return kHertz *
           predict(computation_of(parse_problem(problem)), schedule(text), any).unhidden.exposed;
  };
  // Rows that are 1024 bytes apart fall into 4 of 64 sets, and each of 64 calls reads 512 rows.
  // There is no second cache, so each row takes 1.5 + 14 cycles times 60 / 64, the share of the
  // sets into which no line of the call falls. The rows of a call lie in 511 / 4 + 1 / 64 pages,
  // more than the first TLB holds. Each page takes 2.5 cycles more, because rows of one cache line
  // are short.
  const std::string loops = "[T(4,i), T(16,j), T(512,k), V(j)] weights=plain";
  const double calls = 4 * 16;
  CHECK(exposed("m4n256k512", loops) ==
        close_to((15.5 * 60 / 64 + 2.5 * (511.0 / 4 + 1.0 / 64) / 512) * calls * 512));
  // Prefetched rows take 1 + 6 cycles. Each call prefetches 8 lines beyond its rows.
  CHECK(exposed("m4n256k512", loops + " prefetch=8") ==
        close_to(calls * (60.0 / 64 * 7 * 512 + 2 * 8)));
  // Rows of four lines are not short.
  CHECK(exposed("m4n256k512", "[T(4,i), T(4,j), T(512,k), U(4,j), V(j)] weights=plain") ==
        close_to(15.5 * 48 / 64 * 4 * 4 * 512));
  // The rows of a call lie in 2047 + 1 / 64 pages, more than the second TLB holds, so each page
  // takes 8 cycles more.
  CHECK(exposed("m4n1024k2048", "[T(4,i), T(64,j), T(2048,k), V(j)] weights=plain") ==
        close_to((15.5 * 63 / 64 + 10.5 * (2047 + 1.0 / 64) / 2048) * 4 * 64 * 2048));
  // Contiguous rows of one cache line use all sets.
  CHECK(exposed("m4n16k512", "[T(4,i), T(512,k), V(j)] weights=plain") == 0);
}

TEST_CASE("apart rows: sets with more ways than rows keep them, and files give other cycles") {
  Machine two = machine({cache("L1", 12 * 4096, 12, 1e15), cache("L2", 1 << 20, 16, 1e15)});
  const auto exposed = [&](int rows, const std::string& marks, int columns = 1024) {
    const std::string text = "[T(" + std::to_string(96 / rows) + ",k), T(" +
                             std::to_string(columns / 64) + ",j), T(" + std::to_string(rows) +
                             ",k), U(4,j), V(j)] weights=plain" + marks;
    const std::string problem = "m1n" + std::to_string(columns) + "k96";
    return kHertz *
           predict(computation_of(parse_problem(problem)), schedule(text), two).unhidden.exposed;
  };
  // Rows that are 4096 bytes apart fall into the same 4 of 64 sets, and each row has one line in
  // each of these sets.
  CHECK(exposed(8, "") == 0);
  CHECK(exposed(12, "") == close_to(1.5 * 60 / 64 * 16 * 96));
  CHECK(exposed(16, "") == close_to(1.5 * 60 / 64 * 16 * 96));
  two.rates.overheads.rows_in_place = {.near = 2, .crowded = 4, .crowded_prefetched = 5};
  CHECK(exposed(16, "") == close_to(4.0 * 60 / 64 * 16 * 96));
  // Rows that are 2048 bytes apart fall into 8 of 64 sets, which have room for two rows per way.
  // Rows that are 1024 bytes apart have room for four, which halves the cycles once more.
  CHECK(exposed(32, "", 512) == close_to(2.0 * 56 / 64 * 8 * 96));
  CHECK(exposed(48, "", 256) == close_to(1.0 * 48 / 64 * 4 * 96));
  // Rows that are 6144 bytes apart have room for two per way too.
  CHECK(exposed(32, "", 1536) == close_to(2.0 * 56 / 64 * 24 * 96));
  two.rates.overheads.rows_in_place.near_prefetched = 1;
  CHECK(exposed(32, " prefetch=8", 512) == close_to(56.0 / 64 * 8 * 96 + 2 * 3 * 8 * 8 * 4));
  // Each of 6 * 16 calls prefetches 8 rows of 4 lines beyond its own.
  CHECK(exposed(16, " prefetch=8") == close_to(5.0 * 60 / 64 * 16 * 96 + 2 * 6 * 16 * 8 * 4));
}

TEST_CASE("apart rows: rows of weights in place that the second cache keeps take few cycles") {
  const Machine two = machine({cache("L1", 4096, 1, 1e15), cache("L2", 1 << 20, 16, 1e15)});
  const auto exposed = [&](const std::string& text) {
    return kHertz * predict(computation_of(parse_problem("m4n1024k512")), schedule(text), two)
                        .unhidden.exposed;
  };
  // A call reads 64 rows. Each of 16 sets of the second cache gets 4 of them on average, so hardly
  // any is evicted.
  const double rows = 8 * 16 * 2 * 64;
  CHECK(exposed("[T(8,k), T(16,j), T(2,i), T(64,k), U(2,i), U(4,j), V(j)] weights=plain") <=
        1.51 * rows);
  CHECK(exposed("[T(16,j), T(2,i), T(512,k), U(2,i), U(4,j), V(j)] weights=plain") >= 14 * rows);
}

TEST_CASE("apart rows: rows that the second cache evicts between two rows of tiles take more") {
  const Machine two = machine({cache("L1", 4096, 1, 1e15), cache("L2", 1 << 20, 16, 1e15)});
  const auto exposed = [&](const std::string& text) {
    return kHertz * predict(computation_of(parse_problem("m4n1024k512")), schedule(text), two)
                        .unhidden.exposed;
  };
  // Each iteration of the loop over i reads 512 rows of 256 columns. The second cache is large
  // enough for them, but each of the 16 sets in which rows begin gets 32 of their lines for 16
  // ways.
  const double rows = 4 * 2 * 8 * 4 * 64;
  const std::string tile = "T(8,k), T(4,j), T(64,k), U(2,i), U(4,j), V(j)] weights=plain";
  CHECK(exposed("[T(4,j), T(2,i), " + tile) == close_to(15.5 * 60 / 64 * rows).epsilon(0.01));
}

TEST_CASE("apart rows: rows of many pages take more cycles until loops read their next columns") {
  const Machine three = machine({cache("L1", 4096, 1, 1e15), cache("L2", 1 << 20, 16, 1e15),
                                 cache("L3", 64 << 20, 16, 1e15)});
  const auto cycles = [&](const std::string& problem, const std::string& text) {
    const Computation product = computation_of(parse_problem(problem));
    const Schedule parsed = schedule(text + " weights=plain");
    const Nest nest = resolve(parsed, product, 16);
    return kHertz * returned_rows_seconds({product, nest, parsed, three, {}});
  };
  const std::string tile = "T(2,i), T(64,k), U(2,i), U(4,j), V(j)]";
  // The 2048 rows of a panel of 64 columns begin in 2048 pages, which is 64 doubled 5 times. Each
  // doubling takes 5 cycles, but all take at most 15. Each of 16 sets of the second cache gets
  // 128 of the rows for 16 ways, so all are evicted, which takes 45 cycles.
  CHECK(cycles("m4n1024k2048", "[T(16,j), T(32,k), " + tile) == close_to((15 + 45) * 16 * 2048));
  // A panel of 256 rows lies in 127.6 pages, and 0.8 % of its lines are evicted, because a set gets
  // 8 lines on average for 16 ways.
  CHECK(cycles("m4n512k1024", "[T(4,k), T(8,j), T(4,k), " + tile) ==
        close_to((4.975 + 0.0082 * 45) * 8 * 1024).epsilon(0.002));
  // Loops read all columns of 64 rows, which lie in 64 pages, before the next rows.
  CHECK(cycles("m4n1024k2048", "[T(32,k), T(16,j), " + tile) == 0);
  // All tensors stay in the second cache.
  CHECK(cycles("m4n256k512", "[T(4,j), T(8,k), " + tile) == 0);
}
