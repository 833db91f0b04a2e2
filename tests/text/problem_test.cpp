// SPDX-License-Identifier: Apache-2.0
// This test checks the meaning of problem text, its round trip and operations on problems.
#include "tileplan/problem.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include "embedded.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

std::int64_t draw(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

bool is_one_in(std::mt19937& random, int n) { return draw(random, 1, n) == 1; }

/// Returns a random axis whose paddings may differ. The last window reaches `pad_after` elements
/// beyond the input, or ends in the input if `pad_after` is 0.
Axis random_axis(std::mt19937& random) {
  Axis axis{.filter = draw(random, 1, 7),
            .stride = draw(random, 1, 4),
            .dilation = draw(random, 1, 3),
            .pad_before = draw(random, 0, 9)};
  const std::int64_t extent = (axis.filter - 1) * axis.dilation + 1;
  const std::int64_t spare = draw(random, 0, 9);
  axis.in = std::max<std::int64_t>(draw(random, 1, 60), extent - axis.pad_before - spare);
  axis.out = (axis.in + axis.pad_before + spare - extent) / axis.stride + 1;
  axis.pad_after =
      std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + extent - axis.in - axis.pad_before);
  return axis;
}

ConvShape random_conv(std::mt19937& random) {
  ConvShape shape;
  shape.n = draw(random, 1, 4);
  shape.g = is_one_in(random, 2) ? 1 : draw(random, 2, 8);
  shape.c = shape.g * draw(random, 1, 32);
  shape.k = shape.g * draw(random, 1, 32);
  if (is_one_in(random, 3)) shape.depth = random_axis(random);
  shape.height = random_axis(random);
  shape.width = is_one_in(random, 2) ? shape.height : random_axis(random);
  if (is_one_in(random, 4)) {  // In a quarter of the cases, the width has one output more.
    shape.width = shape.height;
    shape.width.in += shape.height.stride;
    shape.width.out += 1;
  }
  return shape;
}

/// Returns a distance between rows, which is longer than `length` in half of all cases.
std::int64_t random_row(std::mt19937& random, std::int64_t length) {
  return length + (is_one_in(random, 2) ? 0 : draw(random, 1, 9));
}

GemmShape random_gemm(std::mt19937& random) {
  GemmShape shape{.b = draw(random, 1, 3),
                  .m = draw(random, 1, 999),
                  .n = draw(random, 1, 999),
                  .k = draw(random, 1, 999)};
  shape.ta = is_one_in(random, 3), shape.tb = is_one_in(random, 3);
  shape.lda = random_row(random, shape.ta ? shape.m : shape.k);
  shape.ldb = random_row(random, shape.tb ? shape.k : shape.n);
  shape.ldc = random_row(random, shape.n);
  if (shape.b > 1 && is_one_in(random, 2)) shape.sa = 0;
  if (shape.b > 1 && is_one_in(random, 2)) shape.sc = shape.m * shape.ldc + 1;
  return shape;
}

}  // namespace

TEST_CASE("a descriptor with everything given means what it says") {
  const ConvShape shape = parse_conv("g2mb3ic4ih10iw12oc6oh4ow6kh3kw2sh2sw2ph0pw1dh1dw2");
  CHECK(shape.n == 3);
  CHECK(shape.g == 2);
  CHECK(shape.c == 4);
  CHECK(shape.k == 6);
  // Three outputs need no padding: (10 - 5) / 2 + 1 = 3. The fourth needs 3 * 2 + 5 - 10 = 1 zero.
  CHECK(shape.height == Axis{10, 4, 3, 2, 2, 0, 1});
  // 6 outputs fit: (12 - 4 + 2) / 2 + 1 = 6. The last window ends at 5 * 2 + 4 = 1 + 12 + 1.
  CHECK(shape.width == Axis{12, 6, 2, 2, 3, 1, 1});
}

TEST_CASE("benchdnn's defaults: two images, one group, stride 1, no gaps, no padding") {
  const ConvShape shape = parse_conv("ic8ih10oc16kh3");
  CHECK(shape.n == 2);
  CHECK(shape.g == 1);
  CHECK(shape.height == Axis{.in = 10, .out = 8, .filter = 3});
  CHECK(shape.width == shape.height);
}

TEST_CASE("a size of one axis only is that of the other axis too") {
  const ConvShape square = parse_conv("mb1ic3ih32oc8oh16kh3sh2ph1dh0");
  CHECK(parse_conv("mb1ic3ih32oc8ow16kh3sw2ph1") == square);
}

TEST_CASE("the output width is copied only when height and width are alike") {
  const ConvShape shape = parse_conv("mb1ic3ih56iw28oc8oh56kh3ph1");
  CHECK(shape.height.out == 56);
  CHECK(shape.width.out == 28);
}

TEST_CASE("padding before is half of what the output needs, padding after is the rest") {
  // An even filter at stride 1 needs 55 * 1 + 2 - 56 = 1 zero.
  const Axis even = parse_conv("mb1ic3ih56oc3oh56kh2").height;
  CHECK(even.pad_before == 0);
  CHECK(even.pad_after == 1);
  // The windows need 111 * 2 + 7 - 224 = 5 zeros.
  const Axis stem = parse_conv("mb1ic3ih224oc64oh112kh7sh2").height;
  CHECK(stem.pad_before == 2);
  CHECK(stem.pad_after == 3);
  // The stride skips the last input, because 27 * 2 + 1 - 56 = -1.
  const Axis sampled = parse_conv("mb1ic3ih56oc3oh28kh1sh2").height;
  CHECK(sampled.pad_before == 0);
  CHECK(sampled.pad_after == 0);
}

TEST_CASE("padding after holds only the zeros that the last window reads") {
  // 112 outputs fit: (224 - 7 + 6) / 2 + 1 = 112. The last one ends at 111 * 2 + 7 = 3 + 224 + 2.
  const Axis axis = parse_conv("mb1ic3ih224oc64oh112kh7sh2ph3").height;
  CHECK(axis.pad_before == 3);
  CHECK(axis.pad_after == 2);
}

TEST_CASE("an output one larger than symmetric padding gives is taken when the stride allows it") {
  // Only (56 - 3 + 2) / 2 + 1 = 28 outputs fit. 29 outputs end at 28 * 2 + 3 = 59 = 1 + 56 + 2.
  CHECK(parse_conv("mb1ic3ih56oc8oh29kh3sh2ph1").height.pad_after == 2);
}

TEST_CASE("padding after the input can be given outright") {
  const Axis causal = parse_conv("mb1ic3ih56oc8oh56kh3ph2ah0").height;
  CHECK(causal == Axis{.in = 56, .out = 56, .filter = 3, .pad_before = 2, .pad_after = 0});
  CHECK(parse_conv("mb1ic3ih56oc8kh3ph2ah0").height == causal);
  CHECK(parse_conv("mb1ic64ih56oc64oh57kh3ph1ah2").height.pad_after == 2);
}

TEST_CASE("padding behind the width says nothing of a height that has padding") {
  const ConvShape shape = parse_conv("mb1ic16ih16iw17oc16oh16kh3kw3ph1pw0aw2");
  CHECK(shape.height.pad_after == 1);
  CHECK(shape.width.pad_before == 0);
  CHECK(shape.width.pad_after == 2);
  CHECK(shape.width.out == 17);
}

TEST_CASE("padding may be wider than the filter: such outputs are zero") {
  const Axis axis = parse_conv("mb1ic1ih2oc1kh1ph3").height;
  CHECK(axis == Axis{.in = 2, .out = 8, .filter = 1, .pad_before = 3, .pad_after = 3});
}

TEST_CASE("without any key of the height it is 1-D") {
  const ConvShape row = parse_conv("mb1ic3iw32oc8ow16kw3sw2pw1dw0");
  CHECK(row.height == Axis{});
  CHECK(row.depth == Axis{});
  CHECK(row.width == parse_conv("mb1ic3ih32oc8oh16kh3sh2ph1").width);
  CHECK(to_string(row) == "mb1ic3iw32oc8ow16kw3sw2pw1");
}

TEST_CASE("with the depth of the input it is 3-D") {
  const ConvShape shape = parse_conv("mb1ic3id8ih12oc4od4oh12kd3kh3sd2pd1dd0ph1");
  CHECK(shape.depth == Axis{.in = 8, .out = 4, .filter = 3, .stride = 2, .pad_before = 1});
  CHECK(shape.height == parse_conv("mb1ic3ih12oc4oh12kh3ph1").height);
  CHECK(to_string(shape) == "mb1ic3id8ih12oc4od4oh12kd3kh3sd2sh1pd1ph1");
  CHECK(flops(shape) == 3 * 4 * flops(parse_conv("mb1ic3ih12oc4oh12kh3ph1")));
}

TEST_CASE("nothing but depths is a cube") {
  const ConvShape cube = parse_conv("mb1ic3id8oc4od8kd3pd1");
  CHECK(cube.depth == Axis{.in = 8, .out = 8, .filter = 3, .pad_before = 1, .pad_after = 1});
  CHECK(cube.height == cube.depth);
  CHECK(cube.width == cube.depth);
}

TEST_CASE("3-D keys are understood while they describe a 2-D convolution") {
  CHECK(parse_conv("mb1ic3id1ih8oc4od1oh8kd1kh3sd2pd0dd3ph1") ==
        parse_conv("mb1ic3ih8oc4oh8kh3ph1"));
}

TEST_CASE("a descriptor may be spaced with _, named, and stand behind benchdnn options") {
  const ConvShape plain = parse_conv("mb1ic3ih8oc4oh8kh3ph1");
  CHECK(parse_conv("  mb1_ic3ih8_oc4oh8_kh3ph1\n") == plain);
  CHECK(parse_conv("--dt=f32 --cfg=f32 --dir=FWD_D --alg=AUTO mb1ic3ih8oc4oh8kh3ph1") == plain);
  CHECK(parse_conv("--dt=f32:f32:f32 --alg=direct\tmb1ic3ih8oc4oh8kh3ph1") == plain);
  CHECK(parse_conv("mb1ic3ih8oc4oh8kh3ph1n\"res:2a*3\"").name == "res:2a*3");
  CHECK(parse_conv("mb1ic3ih8oc4oh8kh3ph1_nres2a").name == "res2a");
}

TEST_CASE("--dt=f64 is a property of every kind of problem, and part of its text") {
  const std::string relation =
      "{ S[i,j,k] : 0 <= i < 6 and 0 <= j < 9 and 0 <= k < 3 } reads { S[i,j,k] -> A[i,k]; "
      "S[i,j,k] -> B[k,j] } writes { S[i,j,k] -> C[i,j] }";
  for (const std::string& text :
       {std::string("mb1ic3ih8oc4oh8kh3ph1"), std::string("m128n256k512"), relation}) {
    const Problem single = parse_problem(text), twice = parse_problem("--dt=f64 " + text);
    CHECK(types_of(single) == ElementType::f32);
    CHECK(types_of(twice) == ElementType::f64);
    CHECK(to_string(twice) == "--dt=f64 " + text);
    CHECK(parse_problem(to_string(twice)) == twice);
    CHECK(twice != single);
    CHECK(parse_problem("--dt=f32 --cfg=f32 " + text) == single);
  }
  CHECK(types_of(parse_problem("--dt=F64:F64:F64 m2n3k4")) == ElementType::f64);
  CHECK(name_of(parse_problem("--dt=f64 resnet18-9")) == "--dt=f64 resnet18-9");
  CHECK(flops(parse_problem("--dt=f64 m2n3k4")) == 48);
}

TEST_CASE("each tensor has a type of its own, which sets its bytes") {
  const Problem problem = parse_problem("--dt=U8:s8:BF16 m2n3k4");
  CHECK(types_of(problem) == TensorTypes(ElementType::u8, ElementType::s8, ElementType::bf16));
  CHECK(to_string(problem) == "--dt=u8:s8:bf16 m2n3k4");
  CHECK(name_of(parse_problem("--dt=bf16:bf16:bf16 resnet18-9")) == "--dt=bf16 resnet18-9");
  CHECK(name_of(parse_problem("--dt=s8:s8:s32 resnet18-9")) == "--dt=s8:s8:s32 resnet18-9");
  const std::pair<ElementType, std::int64_t> sizes[] = {
      {ElementType::u8, 1},  {ElementType::s8, 1},  {ElementType::bf16, 2}, {ElementType::f16, 2},
      {ElementType::s16, 2}, {ElementType::f32, 4}, {ElementType::s32, 4},  {ElementType::f64, 8}};
  for (const auto& [type, bytes] : sizes) {
    CHECK(bytes_of(type) == bytes);
    CHECK(parse_types(to_string(type)) == TensorTypes(type));
  }
  // 2^57 elements of one byte fit, although 2^57 floats do not.
  const std::string large = "m67108864n1k2147483648";
  CHECK_NOTHROW(parse_problem("--dt=u8:s8:s32 " + large));
  CHECK_THROWS_AS(parse_problem(large), Error);
}

TEST_CASE("sums are exact in s32 for integers, and in f32 for halves") {
  CHECK(accumulator_of(ElementType::f32) == ElementType::f32);
  CHECK(accumulator_of(ElementType::f64) == ElementType::f64);
  CHECK(accumulator_of(ElementType::bf16) == ElementType::f32);
  CHECK(accumulator_of(parse_types("f16:f16:f32")) == ElementType::f32);
  CHECK(accumulator_of(parse_types("u8:s8:f32")) == ElementType::s32);
  CHECK(accumulator_of(ElementType::s16) == ElementType::s32);
  CHECK(accumulator_of(ElementType::s32) == ElementType::s32);
}

TEST_CASE("a matrix product has dense rows unless leading dimensions say otherwise") {
  CHECK(parse_gemm("m128n256k512") ==
        GemmShape{.m = 128, .n = 256, .k = 512, .lda = 512, .ldb = 256, .ldc = 256});
  const GemmShape shape = parse_gemm("b16k512m128n256lda520ldc300n\"fc\"");
  CHECK(shape == GemmShape{"fc", 16, 128, 256, 512, 520, 256, 300});
  CHECK(to_string(shape) == "b16m128n256k512lda520ldc300");
}

TEST_CASE("a transposed matrix has rows of its other extent, and distances are none by default") {
  const GemmShape shape = parse_gemm("m64n96k32ta1tb1");
  CHECK(shape.ta);
  CHECK(shape.tb);
  CHECK(shape.lda == 64);
  CHECK(shape.ldb == 32);
  CHECK(to_string(shape) == "m64n96k32ta1tb1");
  CHECK(parse_gemm("b2m3n4k5sa15sb20sc12") == parse_gemm("b2m3n4k5"));
  CHECK(to_string(parse_gemm("b2m3n4k5sa0sb21sc13")) == "b2m3n4k5sa0sb21sc13");
}

TEST_CASE("a relation is split at its words and kept on one line") {
  const Problem problem = parse_problem(
      " { S[i,j,k] : 0 <= i,j < 8\n  and 0 <= k < 4 } reads { S[i,j,k] -> A[i,k];"
      " S[i,j,k] -> B[k,j] }\nwrites{ S[i,j,k] -> C[i,j] } ");
  const Relation relation = std::get<Relation>(problem);
  CHECK(relation.domain == "{ S[i,j,k] : 0 <= i,j < 8 and 0 <= k < 4 }");
  CHECK(relation.reads == "{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j] }");
  CHECK(relation.writes == "{ S[i,j,k] -> C[i,j] }");
  CHECK(parse_problem(to_string(problem)) == problem);
}

TEST_CASE("the text decides which kind of problem it is") {
  CHECK(std::holds_alternative<ConvShape>(parse_problem("ic8ih10oc16kh3")));
  CHECK(std::holds_alternative<GemmShape>(parse_problem("k8m10n16")));
  CHECK(std::holds_alternative<ConvShape>(parse_problem("resnet18-9")));
  CHECK(std::holds_alternative<GemmShape>(parse_problem("opevo-mm1")));
}

TEST_CASE("a layer is found by its name in the embedded tables") {
  const ConvShape shape = parse_conv("resnet18-9");
  CHECK(shape.name == "resnet18-9");
  CHECK(to_string(shape) == "mb1ic256ih14oc256oh14kh3ph1");
  CHECK(parse_gemm("resnet50-gemm-20").m == 6272);
  CHECK(parse_conv("mobilenet-dw-9").g == 1024);
}

TEST_CASE("every embedded layer prints as the text of its table") {
  int layers = 0;
  for (const EmbeddedFile& table : embedded_layers()) {
    std::istringstream lines(table.content);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#') || line == "name,problem") continue;
      CAPTURE(line);
      const std::string text = line.substr(line.find(',') + 1);
      CHECK(to_string(parse_problem(text)) == text);
      CHECK(name_of(parse_problem(line.substr(0, line.find(',')))) + "," + text == line);
      ++layers;
    }
  }
  CHECK(layers == 11 + 12 + 9 + 9 + 20 + 8 + 30);
}

TEST_CASE("printing leaves out what the reader deduces") {
  CHECK(to_string(parse_conv("ic8ih10oc16kh3")) == "mb2ic8ih10oc16oh8kh3ph0");
  CHECK(to_string(parse_conv("mb1ic8ih10iw20oc16kh3ph1")) == "mb1ic8ih10iw20oc16oh10ow20kh3ph1");
  CHECK(to_string(parse_conv("mb1ic8ih9oc16kh3sh1sw2ph1")) == "mb1ic8ih9oc16oh9ow5kh3sh1sw2ph1");
  CHECK(to_string(parse_conv("mb1ic8ih9oc16kh3ph2ah0dh1")) == "mb1ic8ih9oc16oh7kh3ph2ah0dh1");
}

TEST_CASE("an output width that equals the height but is not the deduced one is printed") {
  // The height has 29 outputs at symmetric padding. The width needs one more zero after the input.
  const std::string text = "mb1ic3ih58iw56oc8oh29ow29kh3sh2ph1";
  CHECK(to_string(parse_conv(text)) == text);
  CHECK(parse_conv("mb1ic3ih58iw56oc8oh29kh3sh2ph1").width.out == 28);
}

TEST_CASE("random convolutions parse back from their text") {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random(seed);
    const ConvShape shape = random_conv(random);
    CAPTURE(seed);
    CAPTURE(to_string(shape));
    CHECK_NOTHROW(validate(shape));
    CHECK(parse_conv(to_string(shape)) == shape);
  }
}

TEST_CASE("random matrix products parse back from their text") {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const GemmShape shape = random_gemm(random);
    CAPTURE(seed);
    CHECK(parse_gemm(to_string(shape)) == shape);
  }
}

TEST_CASE("the name of a problem is its layer or its text") {
  CHECK(name_of(parse_problem("resnet18-9")) == "resnet18-9");
  CHECK(name_of(parse_problem("m2n3k4")) == "m2n3k4");
}

TEST_CASE("operations count two per multiply-add, taps on padding included") {
  CHECK(flops(parse_problem("m2n3k4")) == 2 * 2 * 3 * 4);
  CHECK(flops(parse_problem("b5m2n3k4lda9")) == 5 * 2 * 2 * 3 * 4);
  CHECK(flops(parse_problem("mb1ic2ih3oc5kh3ph1")) == 2 * 2 * 5 * 3 * 3 * 3 * 3);
  CHECK(flops(parse_problem("g2mb1ic4ih3oc6kh1")) == 2 * 6 * 2 * 3 * 3);
}

TEST_CASE("a problem put together by hand is checked by the same rules") {
  ConvShape shape = parse_conv("mb1ic8ih9oc16kh3ph1");
  CHECK_NOTHROW(validate(shape));
  shape.height.out = 8;
  CHECK_THROWS_WITH_AS(validate(shape),
                       "problem without a name: oh is 8; its windows must end in ih and its "
                       "padding, and leave less than one stride of it over",
                       Error);
  CHECK_THROWS_WITH_AS(validate(GemmShape{.name = "fc", .m = 2, .n = 3, .k = 4}),
                       "problem \"fc\": lda is 1; must be at least k (4)", Error);
}

}  // namespace tileplan
