// SPDX-License-Identifier: Apache-2.0
// This test checks that tensors which do not fit in memory are refused before any tensor is
// allocated.
#include "tensor_memory.h"

#include <doctest/doctest.h>

#include "attached_kernel.h"
#include "tileplan/error.h"

using namespace tileplan;

TEST_CASE("operands count twice, the output with its reference: 8 (2 x 8 + 8 x 4) + 12 (2 x 4)") {
  CHECK(tensor_bytes(computation_of(parse_problem("m2n4k8"))) == 8 * (16 + 32) + 12 * 8);
}

TEST_CASE("doubles take twice as much, their reference does not: 16 (16 + 32) + 16 x 8") {
  CHECK(tensor_bytes(computation_of(parse_problem("--dt=f64 m2n4k8"))) == 16 * (16 + 32) + 16 * 8);
}

TEST_CASE("one byte too few is refused, with both sizes; unknown memory is not") {
  const Computation product = computation_of(parse_problem("m1024n1024k1024"));
  const std::size_t needed = 28 << 20;
  CHECK_NOTHROW(require_memory(product, needed));
  CHECK_NOTHROW(require_memory(product, 0));
  CHECK_THROWS_WITH_AS(require_memory(product, needed - 1),
                       "memory: the tensors of m1024n1024k1024 take 0.03 GiB (operands twice, "
                       "output, reference); must fit in the 0.03 GiB that are free",
                       Error);
}

TEST_CASE("tensors larger than memory are refused, not allocated") {
  CHECK_THROWS_AS(Tensors(parse_problem("m1000000000n1000000000k8"), 1), Error);
}
