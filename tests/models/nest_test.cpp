// SPDX-License-Identifier: Apache-2.0
// This test checks how schedules are resolved into trips, register tiles and lists of blocks
// (lambdas), and which schedules are refused.
#include "nest.h"

#include <doctest/doctest.h>

#include <string>

#include "tileplan/error.h"
#include "tileplan/problem.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 16;

/// Returns the layer that the TTile report uses as an example.
Computation example_layer() { return computation_of(parse_conv("mb1ic256ih34oc512oh34kh3ph1")); }

Computation gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return computation_of(
      GemmShape{.name = "", .m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n});
}

Nest resolved(const std::string& text, const Computation& computation) {
  return resolve(parse_schedule(text), computation, kLanes);
}

NestLoop tile(const Computation& computation, const std::string& dim, std::int64_t trips) {
  return {.dim = computation.dim(dim), .trips = trips, .parts = {}, .parallel = false};
}

NestLoop lambda(const Computation& computation, const std::string& dim, std::vector<Part> parts) {
  return {.dim = computation.dim(dim), .trips = 0, .parts = std::move(parts), .parallel = false};
}

}  // namespace

TEST_CASE("nest: the schedule of the TTile report covers its layer") {
  const Computation conv = example_layer();
  const Nest nest = resolved(
      "[T(16,k), L(h,[2*11,1*12]), T(17,w), T(3,s), T(3,r), T(2,w), T(256,c), U(h), U(2,k), V(k)]",
      conv);
  CHECK(nest.loops ==
        std::vector<NestLoop>{tile(conv, "k", 16), lambda(conv, "h", {{2, 11}, {1, 12}}),
                              tile(conv, "w", 17), tile(conv, "s", 3), tile(conv, "r", 3),
                              tile(conv, "w", 2), tile(conv, "c", 256)});
  CHECK(nest.vectorised == conv.dim("k"));
  CHECK(nest.base[conv.dim("k")] == 32);
  CHECK(nest.base[conv.dim("h")] == 0);
  CHECK(nest.base[conv.dim("c")] == 1);
}

TEST_CASE("nest: R takes what the other loops of its dim leave") {
  const Computation product = gemm(12, 32, 20);
  const Nest nest = resolved("[R(i), R(j), T(4,k), P(2,i), R(k), U(3,i), V(j)]", product);
  CHECK(nest.loops[0] == tile(product, "i", 2));
  CHECK(nest.loops[1] == tile(product, "j", 2));
  CHECK(nest.loops[3].parallel);
  CHECK(nest.loops[4] == tile(product, "k", 5));
  CHECK(nest.base[product.dim("i")] == 3);
}

TEST_CASE("nest: the vectorised extent counts whole vectors") {
  const Computation product = gemm(2, 20, 3);
  const Nest nest = resolved("[R(j), R(i), R(k), V(j)]", product);
  CHECK(nest.loops[0] == tile(product, "j", 2));
  const Tile extents = covered_extents(product, product.dim("j"), kLanes);
  CHECK(extents[product.dim("j")] == 32);
  CHECK(extents[product.dim("i")] == 2);
}

TEST_CASE("nest: lambda sizes of the vectorised dim count vectors") {
  // The 7 vectors are 1 * 3 + 2 * 2, so the parts have blocks of 3 * 16 and 2 * 16 iterations.
  const Computation product = gemm(2, 7 * 16, 3);
  const Nest nest = resolved("[L(j,[1*3,2*2]), R(k), U(2,i), U(j), V(j)]", product);
  CHECK(nest.loops[0] == lambda(product, "j", {{1, 48}, {2, 32}}));
}

TEST_CASE("nest: loops of a dim inside its lambda are part of its blocks") {
  // Blocks of 22 are two trips of 11, and blocks of 12 are two trips of 6.
  const Computation product = gemm(34, 16, 3);
  const Nest nest = resolved("[L(i,[1*22,1*12]), T(2,i), R(k), U(i), V(j)]", product);
  CHECK(nest.loops[0] == lambda(product, "i", {{1, 22}, {1, 12}}));
  CHECK(nest.loops[1] == tile(product, "i", 2));
  CHECK_THROWS_WITH_AS(
      resolved("[L(i,[2*11,1*12]), T(2,i), R(k), U(i), V(j)]", product),
      "schedule: L(i,[2*11,1*12]): a block of 11 over the 2 iterations of i inside it; must be a "
      "multiple",
      Error);
}

TEST_CASE("nest: the parts of a parallel lambda are parallel") {
  const Computation product = gemm(34, 16, 3);
  const Nest nest = resolved("[P(i,[2*11,1*12]), R(k), U(i), V(j)]", product);
  CHECK(nest.loops[0].parallel);
  CHECK(nest.loops[0].blocks() == 3);
  CHECK(with_part(nest, 0, nest.loops[0].parts[0]).loops[0] ==
        NestLoop{.dim = product.dim("i"), .trips = 2, .parts = {}, .parallel = true});
  CHECK_THROWS_WITH_AS(
      resolved("[P(k,[1*1,1*2]), R(i), U(k), V(j)]", product),
      "schedule: P(k,[1*1,1*2]): k is summed over; P must be a dimension of the output", Error);
}

TEST_CASE("nest: R inside a lambda of its dim has trips of each part") {
  const Computation product = gemm(2 * 62, 16, 3);
  const Nest nest = resolved("[L(i,[4*14,1*6]), R(j), R(i), R(k), U(2,i), V(j)]", gemm(62, 16, 3));
  CHECK(nest.loops[0] == lambda(product, "i", {{4, 14}, {1, 6}}));
  CHECK(nest.loops[2].trips == 0);
  CHECK(nest.base[product.dim("i")] == 2);
  const Nest first = with_part(nest, 0, nest.loops[0].parts[0]);
  CHECK(first.loops[0] == tile(product, "i", 4));
  CHECK(first.loops[2] == tile(product, "i", 7));
  CHECK(with_part(nest, 0, nest.loops[0].parts[1]).loops[2] == tile(product, "i", 3));
  // The outer R repeats the blocks until the extent is covered.
  CHECK(resolved("[R(i), L(i,[4*14,1*6]), R(j), R(i), R(k), U(2,i), V(j)]", product).loops[0] ==
        tile(product, "i", 2));
}

TEST_CASE("nest: a block of a lambda is whole turns of what its R repeats") {
  const Computation product = gemm(62, 16, 3);
  const auto refuses = [&](const std::string& text, const char* why) {
    CHECK_THROWS_WITH_AS(resolved(text, product), why, Error);
  };
  refuses(
      "[L(i,[4*14,1*6]), R(i), R(k), U(4,i), V(j)]",
      "schedule: L(i,[4*14,1*6]): a block of 14 over the 4 iterations of i inside it; must be a "
      "multiple");
  refuses("[L(i,[3*14,1*6]), R(i), R(k), U(2,i), V(j)]",
          "schedule: dimension i is covered 48 times; its extent is 62");
  refuses("[L(i,[4*14,1*6]), R(i), R(i), R(k), U(2,i), V(j)]",
          "schedule: R(i) is there twice; must be once");
  refuses("[L(i,[4*14,1*6]), R(i), R(k), U(i), V(j)]",
          "schedule: R(i) is around U(i) without a size; L(i,...) must be between");
}

TEST_CASE("nest: lambdas on two dims, with loops of their dims outside") {
  const Computation product = gemm(2 * 17, 3 * 16 * 2, 3);
  const Nest nest =
      resolved("[T(2,i), R(j), L(i,[1*8,1*9]), L(j,[1*1,1*2]), R(k), U(i), U(j), V(j)]", product);
  CHECK(nest.loops[1] == tile(product, "j", 2));
  CHECK(nest.loops[2] == lambda(product, "i", {{1, 8}, {1, 9}}));
  CHECK(nest.loops[3] == lambda(product, "j", {{1, 16}, {1, 32}}));
  CHECK(nest.base[product.dim("j")] == 0);
}

TEST_CASE("nest: dims of extent 1 may be left out, others may not") {
  const Computation conv = example_layer();
  CHECK(conv.extent(conv.dim("n")) == 1);
  CHECK(resolved("[R(k), R(h), R(w), R(c), R(r), R(s), V(k)]", conv).loops.size() == 6);
  CHECK_THROWS_WITH_AS(resolved("[R(k), R(h), R(c), R(r), R(s), V(k)]", conv),
                       "schedule: dimension w is covered 1 times; its extent is 34", Error);
}

TEST_CASE("nest: a product that differs from the extent is refused with both numbers") {
  const Computation product = gemm(34, 20, 6);
  const auto refuses = [&](const std::string& text, const char* why) {
    CHECK_THROWS_WITH_AS(resolved(text, product), why, Error);
  };
  refuses("[T(3,i), R(j), R(k), U(11,i), V(j)]",
          "schedule: dimension i is covered 33 times; its extent is 34");
  refuses("[L(i,[1*11,1*12]), R(j), R(k), U(i), V(j)]",
          "schedule: dimension i is covered 23 times; its extent is 34");
  refuses("[R(i), R(k), V(j)]",
          "schedule: dimension j is covered 16 times; its extent is 20, 32 in whole vectors");
  refuses("[R(i), R(j), R(k), U(4,k), V(j)]",
          "schedule: dimension k is covered 4 times inside R(k), which must divide; its extent is "
          "6");
  refuses("[T(9223372036854775807,i), T(2,i), R(j), R(k), V(j)]",
          "schedule: dimension i is covered at least 9223372036854775807 times; its extent is 34");
}

TEST_CASE("nest: misplaced specifiers are refused") {
  const Computation product = gemm(34, 32, 6);
  const auto refuses = [&](const std::string& text, const char* why) {
    CHECK_THROWS_WITH_AS(resolved(text, product), why, Error);
  };
  refuses("[R(q), V(j)]", "dimension q is unknown; must be one of i, j, k");
  refuses("[R(i), R(j), R(k)]", "schedule: V is missing; the last specifier must be V");
  refuses("[R(i), V(j), R(k), U(2,j)]",
          "schedule: U(2,j) is innermost; the last specifier must be V");
  refuses("[R(i), R(k), V(j), V(j)]", "schedule: V(j) is not innermost; V must be last, and once");
  refuses("[R(i), R(j), V(k)]",
          "schedule: V(k): k is summed over; V must be a dimension of the output");
  refuses("[P(6,k), R(i), R(j), V(j)]",
          "schedule: P(6,k): k is summed over; P must be a dimension of the output");
  refuses("[U(2,i), R(i), R(j), R(k), V(j)]",
          "schedule: U(2,i) stands outside a loop; U must be inside all");
  refuses("[R(i), R(j), R(k), U(i), V(j)]",
          "schedule: R(i) is around U(i) without a size; L(i,...) must be between");
  refuses("[T(34,i), R(j), R(k), U(i), V(j)]",
          "schedule: U(i) has no size; L(i,...) must be around it");
  refuses("[L(i,[2*11,1*12]), R(j), R(k), V(j)]",
          "schedule: L(i,[2*11,1*12]) sizes nothing; U(i) or R(i) must be inside it");
  refuses("[L(i,[1*34]), L(i,[1*11,1*12]), R(j), R(k), U(i), V(j)]",
          "schedule: L(i,[1*34]): blocks of i a second time; must be once");
  refuses("[L(i,[2*11,1*12]), R(j), R(k), U(i), U(i), V(j)]",
          "schedule: U(i) is there twice; must be once");
  refuses("[R(i), R(i), R(j), R(k), V(j)]", "schedule: R(i) is there twice; must be once");
}

TEST_CASE("nest: counts below 1 are refused") {
  const Computation product = gemm(34, 32, 6);
  Schedule schedule = parse_schedule("[T(1,i), R(i), R(j), R(k), V(j)]");
  schedule.loops[0].count = -1;
  CHECK_THROWS_WITH_AS(resolve(schedule, product, kLanes),
                       "schedule: T(-1,i) has a count below 1; must be at least 1", Error);
}
