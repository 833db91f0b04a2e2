// SPDX-License-Identifier: Apache-2.0
// This test checks the problems that are read from benchdnn arguments and from oneDNN's verbose
// log, and the reasons why benchdnn cannot be given a problem.
#include "workload.h"

#include <doctest/doctest.h>

#include "tileplan/error.h"

using namespace tileplan;

TEST_CASE("workload: benchdnn lines may have options, names and comments") {
  const LayerList workload = read_workload(
      "# ResNet-18\n--conv --reset --stag=axb --dtag=axb --dir=FWD_D --dt=f32 "
      "mb1ic64ih56oc64oh56kh3ph1n\"ResNet18-2\"\nmb1ic64ih56oc64oh56kh1ph0\n"
      "--matmul --dt=f32 16x128x512:16x512x256\n--matmul --dt=f64 4x6:6x5\n",
      "layers");
  REQUIRE(workload.layers.size() == 4);
  CHECK(name_of(workload.layers[0].problem) == "ResNet18-2");
  CHECK(to_string(workload.layers[2].problem) == "b16m128n256k512");
  CHECK(to_string(workload.layers[3].problem) == "--dt=f64 m4n5k6");
}

TEST_CASE("workload: executions of a verbose log are counted, other primitives skipped by kind") {
  const std::string conv =
      "onednn_verbose,v0,1693533460272.561035,primitive,exec,cpu,convolution,jit:avx512_core,"
      "forward_training,src_f32:a:blocked:aBcd16b::f0 wei_f32:a:blocked:ABcd16b16a::f0 "
      "bia_f32:a:blocked:a::f0 dst_f32:a:blocked:aBcd16b::f0,,alg:convolution_direct,"
      "mb2_ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2,0.0878906\n";
  const std::string reorder =
      "onednn_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
      "dst_f32::blocked:acdb:f0,,,2x16x7x7,0.01\n";
  const LayerList workload =
      read_workload("onednn_verbose,info,cpu,runtime:OpenMP\n" + conv + reorder + conv, "log");
  REQUIRE(workload.layers.size() == 1);
  CHECK(workload.layers.front().count == 2);
  CHECK(to_string(workload.layers.front().problem) == "mb2ic16ih7oc16oh7kh5ph2");
  CHECK(workload.skipped.at("reorder") == 1);
}

TEST_CASE("workload: types are read as other versions write them; shared operands are skipped") {
  const auto product = [](const std::string& types, const std::string& shape) {
    return "onednn_verbose,v1,primitive,exec,cpu,matmul,brg:avx512_core,undef," + types +
           ",attr,," + shape + ",0.01\n";
  };
  const std::string types = "src:f32::blocked:abc::f0 wei:f32::blocked:abc::f0";
  const LayerList workload =
      read_workload(product(types, "12x128x64:12x64x128") + product(types, "12x128x64:1x64x128") +
                        product(types, "2x12x128x64:2x12x64x128") +
                        product("src:bf16::blocked:ab::f0 wei:bf16::blocked:ab::f0", "8x8:8x8"),
                    "log");
  REQUIRE(workload.layers.size() == 1);
  CHECK(to_string(workload.layers.front().problem) == "b12m128n128k64");
  CHECK(workload.skipped.at("matmul of more dimensions, or with operands shared by a batch") == 2);
  CHECK(workload.skipped.at("matmul of other types than f32") == 1);
}

TEST_CASE("workload: what is wrong is refused with file and line") {
  CHECK_THROWS_WITH_AS(read_workload("mb1ic64ih56oc64oh56kh3ph1\nmb1ic0ih4oc1\n", "layers"),
                       doctest::Contains("layers:2: "), Error);
  CHECK_THROWS_WITH_AS(read_workload("--matmul 2x3:4x5\n", "layers"),
                       doctest::Contains("shapes of A and B must agree"), Error);
  CHECK_THROWS_WITH_AS(
      read_workload("onednn_verbose,exec,cpu,convolution,jit:avx512_core,fo", "log"),
      "log:1: an execution of 5 fields; must be whole, at least 9", Error);
  CHECK_THROWS_WITH_AS(read_workload("\n", "log"), doctest::Contains("must have one"), Error);
}

TEST_CASE("workload: what benchdnn cannot be given has a reason") {
  CHECK(why_no_benchdnn(parse_problem("m4n4k4lda8")).has_value());
  CHECK_FALSE(why_no_benchdnn(parse_problem("m4n4k4")).has_value());
  CHECK(why_no_benchdnn(parse_problem("--dt=f64 m4n4k4")) == "tensors of f64");
  for (const char* skewed : {"mb1ic8iw10oc8ow10kw3pw2aw0", "mb1ic8ih10oc8oh10kh3ph2ah0"})
    CHECK(why_no_benchdnn(parse_problem(skewed)) ==
          "padding after the input that oneDNN does not deduce");
  CHECK_FALSE(why_no_benchdnn(parse_problem("mb1ic8iw10oc8ow10kw3pw1")).has_value());
  CHECK(to_benchdnn(parse_problem("m4n5k6"), {}) == "--matmul --dt=f32 4x6:6x5");
}
