// SPDX-License-Identifier: Apache-2.0
// This test replaces the operator new of its program and counts the calls during runs of a kernel.
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "random_schedule.h"
#include "tileplan/kernel.h"

using namespace tileplan;

namespace {
int allocations = 0;
}  // namespace

// The operators are not inlined, because GCC warns about free() in a delete that it inlines.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("a run of one task on tensors of the loops' types and layouts allocates no memory") {
  const Kernel kernel = compile(
      test::plan_for(parse_problem("m4n16k8"),
                     parse_schedule("[T(2,j), T(8,k), U(4,i), V(j)] weights=plain"), Isa::avx2));
  const std::vector<float> a(4 * 8, 1), b(8 * 16, 2);
  std::vector<float> c(4 * 16);
  kernel.run(a, b, c);
  const int before = allocations;
  kernel.run(a, b, c);
  CHECK(allocations == before);
  CHECK(c.front() == 16);
  CHECK(before > 0);
}
