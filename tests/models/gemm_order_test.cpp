// SPDX-License-Identifier: Apache-2.0
// This test checks which variant of the GEMM family has the loops of a schedule.
#include "gemm_order.h"

#include <doctest/doctest.h>

#include "tileplan/problem.h"

using namespace tileplan;

namespace {

GemmOrder order_of(const std::string& schedule, const std::string& problem = "m96n128k64") {
  const Computation computation = computation_of(parse_gemm(problem));
  return gemm_order(computation, resolve(parse_schedule(schedule), computation, 16));
}

}  // namespace

TEST_CASE("gemm order: five loops around the microkernel are B3A2C0") {
  const GemmOrder found =
      order_of("[T(2,j), T(4,k), T(3,i), T(2,j), T(8,i), T(16,k), U(4,i), U(2,j), V(j)]");
  CHECK(found.variant == GemmVariant::b3a2c0);
  CHECK(found.order == "j k i j i");
  CHECK(found.blocks == GemmBlocks{.mc = 32, .nc = 64, .kc = 16, .mr = 4, .nr = 32});
}

TEST_CASE("gemm order: A and B exchanged are A3B2C0") {
  const GemmOrder found =
      order_of("[T(3,i), T(4,k), T(2,j), T(8,i), T(2,j), T(16,k), U(4,i), U(2,j), V(j)]");
  CHECK(found.variant == GemmVariant::a3b2c0);
  CHECK(found.blocks == GemmBlocks{.mc = 32, .nc = 64, .kc = 16, .mr = 4, .nr = 32});
}

TEST_CASE("gemm order: the rows of a register tile whose sizes a list of blocks sets") {
  // The blocks of 6 and 8 rows have two tiles of 3 and two of 4 rows.
  const GemmOrder found =
      order_of("[T(2,j), L(i,[2*6,1*8]), T(2,i), T(64,k), U(i), U(2,j), V(j)]", "m20n64k64");
  CHECK(found.blocks == GemmBlocks{.mc = 20, .nc = 64, .kc = 64, .mr = 4, .nr = 32});
}

TEST_CASE("gemm order: loops that are missing stand for whole extents") {
  const GemmOrder found = order_of("[T(4,j), T(24,i), T(64,k), U(4,i), U(2,j), V(j)]");
  CHECK(found.variant == GemmVariant::b3a2c0);
  CHECK(found.blocks == GemmBlocks{.mc = 96, .nc = 128, .kc = 64, .mr = 4, .nr = 32});
  CHECK(order_of("[T(24,i), T(4,j), T(64,k), U(4,i), U(2,j), V(j)]").variant ==
        GemmVariant::a3b2c0);
}

TEST_CASE("gemm order: other orders belong to no variant") {
  // In the first order, the only loop over i is outside the loops over k, so no block contains it.
  // The second has the loops k, j and k outside the innermost i and j, as no variant does.
  CHECK(!order_of("[T(24,i), T(4,k), T(4,j), T(16,k), U(4,i), U(2,j), V(j)]").variant);
  CHECK(!order_of("[T(2,k), T(2,j), T(2,k), T(24,i), T(2,j), T(16,k), U(4,i), U(2,j), V(j)]")
             .variant);
}

TEST_CASE("gemm order: loops of a batch do not count if they are outermost") {
  const std::string loops = "T(4,j), T(24,i), T(64,k), U(4,i), U(2,j), V(j)]";
  CHECK(order_of("[T(5,b), " + loops, "b5m96n128k64").variant == GemmVariant::b3a2c0);
  CHECK(order_of("[T(5,b), " + loops, "b5m96n128k64sa0").variant == GemmVariant::b3a2c0);
  CHECK(!order_of("[T(4,j), T(5,b), T(24,i), T(64,k), U(4,i), U(2,j), V(j)]", "b5m96n128k64")
             .variant);
}
