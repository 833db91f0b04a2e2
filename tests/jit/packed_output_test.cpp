// SPDX-License-Identifier: Apache-2.0
// This test runs kernels whose loops write to a box of the output, and checks which of them
// compile() refuses. The test random_conv draws such kernels for all kinds of problems.
#include <doctest/doctest.h>

#include <string>

#include "attached_kernel.h"
#include "error_of.h"
#include "random_schedule.h"
#include "tileplan/epilogue.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

Kernel compiled(const std::string& problem, const std::string& schedule,
                const std::string& epilogue = "", int threads = 1) {
  Plan plan = test::plan_for(parse_problem(problem), parse_schedule(schedule), Isa::avx2);
  if (!epilogue.empty()) plan.options.epilogue = parse_epilogue(epilogue);
  plan.options.threads = threads;
  return compile(plan);
}

bool is_right(const std::string& problem, const std::string& schedule,
              const std::string& epilogue = "", int threads = 1) {
  CAPTURE(schedule);
  const Kernel kernel = compiled(problem, schedule, epilogue, threads);
  Tensors tensors(kernel.problem(), 1);
  return AttachedKernel(kernel, tensors).check_all().passed();
}

}  // namespace

TEST_CASE("packed output: inside each loop of a product, with a last vector of five columns") {
  for (const char* mark : {"pack=C@0", "pack=C@1", "pack=C@2", "pack=A@0 pack=B@1 pack=C@1"})
    CHECK(is_right("m12n21k10ldc30",
                   std::string("[T(2,k), T(3,j), T(4,i), T(5,k), U(3,i), V(j)] ") + mark));
}

TEST_CASE("packed output: sums continue, scale the output, add a bias and are limited") {
  for (const char* epilogue : {"beta=0.5", "alpha=2,beta=1", "bias,relu", "accumulate,bias"})
    for (const char* mark : {"pack=C@0", "pack=C@1"})
      CHECK(is_right("m12n21k10",
                     std::string("[T(2,k), T(3,j), T(4,i), T(5,k), U(3,i), V(j)] ") + mark,
                     epilogue));
}

TEST_CASE("packed output: f64, integers, convolutions and vectors of pixels") {
  CHECK(is_right("--dt=f64 m12n21k10", "[T(6,j), T(4,i), T(10,k), U(3,i), V(j)] pack=C@0"));
  CHECK(is_right("--dt=s32 m12n21k10", "[T(3,j), T(4,i), T(10,k), U(3,i), V(j)] pack=C@0"));
  CHECK(is_right("mb2ic6ih6oc20oh6kh3ph1",
                 "[T(2,n), T(2,c), T(3,k), T(6,h), T(3,r), T(3,s), T(3,c), U(6,w), V(k)] in=nhwc "
                 "out=nhwc pack=out@1"));
  CHECK(is_right("mb1ic5ih9iw10oc6oh7ow8kh3kw3",
                 "[T(3,k), T(7,h), T(3,r), T(3,s), T(5,c), U(2,k), V(w)] in=nchw out=nchw "
                 "pack=in@1 pack=out@0"));
}

TEST_CASE("packed output: threads have boxes of their own inside their loops") {
  CHECK(is_right("m12n40k10", "[P(5,j), T(4,i), T(10,k), U(3,i), V(j)] pack=C@0", "", 3));
}

TEST_CASE("packed output: what kernels cannot do is refused with the rule") {
  const auto why = [](const std::string& problem, const std::string& schedule,
                      const std::string& epilogue = "") {
    return error_of([&] { compiled(problem, schedule, epilogue); });
  };
  const std::string loops = "[T(3,j), T(4,i), T(10,k), U(3,i), V(j)] ";
  CHECK(why("m12n24k10", "[T(1,i), P(3,j), T(4,i), T(10,k), U(3,i), V(j)] pack=C@0") ==
        "schedule: pack=out@0 is outside a parallel loop over j; must be inside it");
  CHECK(why("m12n24k10", loops + "pack=C@2") ==
        "schedule: pack=out@2 is inside a loop over k that the microkernel runs; must be outside "
        "the reduction loops around it");
  CHECK(why("m12n24k10", loops + "pack=C@0 nt") ==
        "schedule: pack=out@0 with nt; stores to a box must use the caches");
  CHECK(why("mb1ic2ih4oc10oh4kh1",
            "[T(4,h), T(2,k), T(2,c), U(4,w), V(k)] in=nhwc out=nChw8c "
            "pack=out@0") ==
        "schedule: pack=out@0 with 10 channels in blocks of 8; must be whole blocks");
  CHECK(why("m12n24k10", loops + "pack=C@0", "add") ==
        "schedule: pack=out with the epilogue add, whose residual has the layout of the output; "
        "must have no add");
  // The bias is row-major in the order of C[j][i], so neighbours along j are not adjacent.
  const std::string cube =
      "{ S[i,j,k] : 0 <= i < 3 and 0 <= j < 8 and 0 <= k < 4 } reads { S[i,j,k] -> A[k]; S[i,j,k] "
      "-> "
      "B[k,j,i] } writes { S[i,j,k] -> C[j,i] }";
  CHECK(why(cube, "[T(4,k), T(3,i), V(j)] pack=out@0", "bias") ==
        "schedule: pack=out with a bias whose neighbours along j are 3 elements apart; must be "
        "adjacent");
  CHECK(is_right(cube, "[T(4,k), T(3,i), V(j)] pack=out@0", "relu"));
}
