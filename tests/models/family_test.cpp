// SPDX-License-Identifier: Apache-2.0
// These tests check the family of kernel forms, its classes, and the agreement of two tables.
#include "family.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "close_to.h"
#include "vector_units.h"

using namespace tileplan;

namespace {

const VectorUnit kAvx512;

/// Returns a kernel form that takes `cycles` per step.
FormRate rate(KernelForm form, double cycles) {
  return {.form = form, .cycles_per_step = cycles, .cycles_per_call = 40};
}

}  // namespace

TEST_CASE("family: every form fits the register file, each is there once") {
  const std::vector<KernelForm> family = kernel_family(kAvx512);
  CHECK(family.size() == 4883);
  CHECK(std::is_sorted(family.begin(), family.end()));
  CHECK(std::set<KernelForm>(family.begin(), family.end()).size() == family.size());
  for (const KernelForm& form : family) REQUIRE(fits_registers(tile_of(form), kAvx512));
}

TEST_CASE("family: of the 2043 forms of the paper's constraint set 2027 fit 32 registers") {
  const auto is_constrained = [](const KernelForm& form) {
    const int out = form.w * form.h * form.k, par = form.r * form.s * form.c * form.k;
    return out + par >= 16 && out + par <= 36 && out >= 14 && out <= 28;
  };
  const std::vector<KernelForm> family = kernel_family(kAvx512);
  CHECK(std::count_if(family.begin(), family.end(), is_constrained) == 2027);
}

TEST_CASE("family: AVX2 has half the registers and forms that fit them") {
  const std::vector<KernelForm> family = kernel_family(avx2());
  CHECK(family.size() == 1030);
  for (const KernelForm& form : family) REQUIRE(fits_registers(tile_of(form), avx2()));
}

TEST_CASE("family: 7 x 2 pixels of 2 vectors in 14 cycles are at peak of two units") {
  CHECK(peak_share(rate({.w = 7, .h = 2, .k = 2}, 14), kAvx512) == close_to(1));
  CHECK(peak_share(rate({.w = 7, .h = 2, .k = 2}, 28), kAvx512) == close_to(0.5));
}

TEST_CASE("family: a class holds the fast kernels that differ in h only") {
  const std::vector<FormRate> family{
      rate({.w = 1, .h = 8, .k = 2}, 8), rate({.w = 1, .h = 9, .k = 2}, 9),
      rate({.w = 1, .h = 9, .k = 2, .r = 3}, 10),
      rate({.w = 1, .h = 10, .k = 2}, 12)};  // The last form reaches 0.83 of the best throughput.
  const std::vector<KernelClass> classes = fast_classes(family, kAvx512);
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].form == KernelForm{.k = 2});
  CHECK(classes[0].heights == std::vector<int>{8, 9});
  CHECK(classes[1].form == KernelForm{.k = 2, .r = 3});
  CHECK(classes[1].heights == std::vector<int>{9});
}

TEST_CASE("agreement: counts common kernels, and those within 2 %") {
  const std::vector<FormRate> a{rate({.w = 1}, 4), rate({.w = 2}, 4), rate({.w = 4}, 4)};
  const std::vector<FormRate> b{rate({.w = 2}, 4.07), rate({.w = 3}, 9), rate({.w = 4}, 4.09)};
  CHECK(agreement(a, b).common == 2);
  CHECK(agreement(a, b).close == 1);
  CHECK(agreement(a, b, 0.03).close == 2);
  CHECK(agreement(a, {}).common == 0);
}
