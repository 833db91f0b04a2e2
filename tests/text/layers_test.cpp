// SPDX-License-Identifier: Apache-2.0
// This test compares kernels with the reference. It covers all layers of Yolo9000 and ResNet-18,
// odd shapes, matrix products and a relation. It also checks that two tables have the products of
// ResNet-50 at different batch sizes.
#include <doctest/doctest.h>

#include "tileplan/tileplan.h"

using namespace tileplan;

namespace {

void check_problem(const Problem& problem, const Machine& machine, LayoutChoice layout) {
  CAPTURE(name_of(problem));
  const Plan result = plan(problem, machine, {.layout = layout});
  CAPTURE(to_string(result.candidates.front().schedule));
  const Check check = check_kernel(compile(result));
  CHECK(check.compared > 0);
  CHECK_MESSAGE(check.passed(), "output ", check.worst_index, " is ", check.got, ", expected ",
                check.expected);
}

void check_table(const char* path) {
  const Machine machine = detect_machine();
  for (const Problem& problem : load_layers(std::string(TILEPLAN_LAYERS) + path))
    check_problem(problem, machine, LayoutChoice::any);
}

}  // namespace

TEST_CASE("every layer of yolo9000 equals the reference") { check_table("/yolo9000.csv"); }

TEST_CASE("every layer of resnet18 equals the reference") { check_table("/resnet18.csv"); }

TEST_CASE("the products of ResNet-50 at batch 1 have a 128th of the rows") {
  const std::vector<Problem> all = load_layers(TILEPLAN_LAYERS "/resnet50_gemm.csv");
  const std::vector<Problem> one = load_layers(TILEPLAN_LAYERS "/resnet50_gemm_batch1.csv");
  REQUIRE(one.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    GemmShape shape = std::get<GemmShape>(one[i]);
    CHECK(shape.name == name_of(all[i]) + "-batch1");
    shape.name = name_of(all[i]);
    shape.m *= 128;
    CHECK(Problem(shape) == all[i]);
  }
}

TEST_CASE("odd shapes equal the reference in every layout") {
  const Machine machine = detect_machine();
  for (const char* text :
       {"mb1ic3ih17oc19oh17kh3ph1", "mb1ic13ih7oc100oh7kh1ph0", "mb2ic20ih17oc33oh9kh3sh2ph1",
        "mb1ic16ih19oc16oh19kh3ph2dh1", "g2mb1ic32ih14oc64oh14kh3ph1", "mb1ic1ih31oc1oh31kh5ph2",
        "mb1ic7ih11iw29oc50oh6ow15kh3kw5sh2ph1pw2", "g32mb1ic32ih14oc32oh14kh3ph1"})
    for (const LayoutChoice layout : {LayoutChoice::any, LayoutChoice::nhwc, LayoutChoice::nchw})
      check_problem(parse_problem(text), machine, layout);
}

TEST_CASE("matrix products equal the reference, leading dimensions and batches included") {
  const Machine machine = detect_machine();
  for (const char* text : {"m128n256k512", "m50n128k128", "m17n33k65", "m1n1k1", "b3m16n32k8",
                           "m64n48k32lda40ldb56ldc60"})
    check_problem(parse_problem(text), machine, LayoutChoice::any);
}

TEST_CASE("a relation written by the user runs through the same door") {
  const Machine machine = detect_machine();
  check_problem(
      parse_problem("{ S[a,b,c] : 0 <= a < 37 and 0 <= b < 48 and 0 <= c < 21 } reads "
                    "{ S[a,b,c] -> X[c,a]; S[a,b,c] -> Y[c,b] } writes { S[a,b,c] -> Z[a,b] }"),
      machine, LayoutChoice::any);
}
