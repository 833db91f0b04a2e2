// SPDX-License-Identifier: Apache-2.0
// This test runs kernels that take plain weights, and checks what such kernels refuse. The test
// random_conv draws such kernels for all kinds of problems.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "attached_kernel.h"
#include "error_of.h"
#include "random_schedule.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

Kernel compiled(const std::string& problem, const std::string& schedule, int threads = 1) {
  Plan plan = test::plan_for(parse_problem(problem), parse_schedule(schedule), Isa::avx2);
  plan.options.threads = threads;
  return compile(plan);
}

bool is_right(const std::string& problem, const std::string& schedule, int threads = 1) {
  CAPTURE(schedule);
  const Kernel kernel = compiled(problem, schedule, threads);
  Tensors tensors(kernel.problem(), 1);
  return AttachedKernel(kernel, tensors).check_all().passed();
}

}  // namespace

TEST_CASE("plain weights: products of each type that kernels do not widen") {
  for (const std::string type : {"", "--dt=f64 ", "--dt=s32 "}) {
    const bool is_wide = type == "--dt=f64 ";
    const std::string problem = type + "m12n21k10";
    const std::string columns = is_wide ? "T(6,j)" : "T(3,j)";
    for (const char* mark : {"weights=plain", "pack=B@0", "pack=B@1"})
      CHECK(is_right(problem, "[T(2,k), " + columns + ", T(4,i), T(5,k), U(3,i), V(j)] " + mark));
  }
}

TEST_CASE("plain weights: threads fill boxes of their own, also outside the parallel loop") {
  for (const char* mark : {"pack=B@0", "pack=B@1", "weights=plain"})
    CHECK(is_right("m12n40k10",
                   std::string("[T(1,i), P(5,j), T(4,i), T(10,k), U(3,i), V(j)] ") + mark, 3));
}

TEST_CASE("plain weights: vectors of pixels broadcast oihw in place") {
  const std::string loops = "[T(3,k), T(7,h), T(3,r), T(3,s), T(5,c), U(2,k), V(w)] in=nchw ";
  for (const char* mark : {"weights=plain", "weights=plain prefetch=4", "pack=weights@0"})
    CHECK(is_right("mb1ic5ih9iw10oc6oh7ow8kh3kw3", loops + "out=nchw " + mark));
}

TEST_CASE("plain weights: blocks of two sizes, groups and taps in a box") {
  CHECK(is_right("m4n56k6", "[L(j,[1*3,1*4]), T(4,i), T(6,k), U(j), V(j)] pack=B@0"));
  CHECK(is_right("m4n56k6", "[T(1,i), L(j,[1*3,1*4]), T(4,i), T(6,k), U(j), V(j)] pack=B@0"));
  CHECK(is_right("g2mb1ic6ih6oc40oh6kh3ph1",
                 "[T(1,n), T(2,g), T(3,k), T(6,h), T(3,r), T(3,s), T(3,c), U(6,w), V(k)] in=nhwc "
                 "out=nhwc pack=weights@0"));
}

TEST_CASE("plain weights: kernels take the form that their schedule names") {
  const Kernel plain = compiled("m2n8k3", "[T(2,i), T(3,k), V(j)] weights=plain");
  const Kernel other = compiled("m2n8k3", "[T(2,i), T(3,k), V(j)]");
  const std::vector<float> a(6, 1), b(24, 1);
  std::vector<float> c(16);
  const Packed packed = other.pack_weights(b);
  plain.run(a, b, c);
  CHECK(c == std::vector<float>(16, 3));
  CHECK(error_of([&] { plain.run(a, packed, c); }) ==
        "weights: packed; this kernel takes plain weights");
  CHECK(error_of([&] { other.run(a, b, c); }) ==
        "weights: plain; this kernel takes what pack_weights() returns");
  CHECK(error_of([&] { plain.run(a, a, c); }) == "weights: 6 elements; this kernel takes 24");
  CHECK(error_of([&] { plain.pack_weights(b); }) ==
        "packed weights: of [T(2,i), T(3,k), V(j)] weights=plain; this kernel takes plain weights");
}

TEST_CASE("plain weights: what kernels cannot take is refused with the rule") {
  const auto why = [](const std::string& problem, const std::string& schedule) {
    return error_of([&] { compiled(problem, schedule); });
  };
  CHECK(
      why("mb1ic2ih4oc8oh4kh1", "[T(4,h), T(2,c), U(4,w), V(k)] in=nhwc out=nhwc weights=plain") ==
      "schedule: weights=plain, but vectors along k are not contiguous in Ker; must be, or be "
      "packed (pack=weights@POS)");
  CHECK(why("--dt=bf16 m2n8k4", "[T(2,i), T(4,k), V(j)] weights=plain") ==
        "schedule: plain weights of bf16, but kernels read them as strips or of another type; must "
        "be f32, f64 or s32, or packed beforehand");
  CHECK(why("m4n32k4", "[T(4,j), T(4,i), T(4,k), V(j)] weights=plain ahead=0") ==
        "schedule: ahead=0, which steps over plain weights; must step over the input, or the "
        "weights be packed beforehand");
  CHECK(why("m4n32k4", "[T(4,j), T(4,i), T(4,k), V(j)] pack=B@2") ==
        "schedule: pack=weights@2 is inside a loop over k that the microkernel runs; must be "
        "outside the reduction loops around it");
  CHECK(why("{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 8 and 0 <= k < 4 } reads { S[i,j,k] -> A[i,k]; "
            "S[i,j,k] -> B[k-1,j] } writes { S[i,j,k] -> C[i,j] }",
            "[T(4,i), T(4,k), V(j)] weights=plain") ==
        "schedule: plain weights, but iterations read elements outside B; must be packed "
        "beforehand");
  CHECK(why("mb1ic2ih4oc8oh4kh3ph1",
            "[T(4,p), T(16,x), T(2,c), V(k)] in=nhwc out=nhwc winograd=2x2 pack=in@0 pack=out@0 "
            "pack=weights@0") ==
        "schedule: winograd, but weights are plain; must be packed, because they are transformed "
        "beforehand");
}

TEST_CASE("plain weights: relations whose input and weights both have tails") {
  const std::string relation =
      "{ S[g,k] : 0 <= g < 13 and 0 <= k < 4 } reads { S[g,k] -> A[k,g]; S[g,k] -> B[k,g] } writes "
      "{ S[g,k] -> C[g] }";
  CHECK(is_right(relation, "[T(2,g), T(4,k), V(g)] pack=weights@0"));
  CHECK(error_of([&] { compiled(relation, "[T(2,g), T(4,k), V(g)] weights=plain"); }) ==
        "schedule: weights=plain, but avx2 has one mask for vectors of the input and the weights; "
        "the extent of g must be a multiple of 8, or the weights be packed");
}
