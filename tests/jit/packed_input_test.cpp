// SPDX-License-Identifier: Apache-2.0
// This test checks the layout and the contents of packed boxes of the input, and that kernels
// compute equal bits with and without them.
#include "packed_input.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "element.h"
#include "random_schedule.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;
using test::Random;

namespace {

constexpr int kLanes = 8;

struct Resolved {
  Computation computation;
  Nest nest;
};

Resolved resolved(const std::string& problem, const std::string& schedule) {
  const Computation computation = computation_of(parse_problem(problem));
  return {computation, resolve(parse_schedule(schedule), computation, kLanes)};
}

std::size_t outside(const std::string& problem, const std::string& schedule, int position) {
  const Resolved one = resolved(problem, schedule);
  return loops_outside_box(one.computation, one.nest, Operand::input, position);
}

/// Returns a box with `sizes` along the dimensions `names`, one letter each, and 1 along the
/// others.
Tile box_of(const Computation& computation, const std::string& names,
            const std::vector<std::int64_t>& sizes) {
  Tile box;
  for (int d = 0; d < computation.dims(); ++d) box[Dim{d}] = 1;
  for (std::size_t i = 0; i < names.size(); ++i)
    box[computation.dim(names.substr(i, 1))] = sizes[i];
  return box;
}

std::vector<float> output_of(const Problem& problem, const Schedule& schedule, unsigned seed) {
  Plan plan;
  plan.problem = problem;
  plan.machine = test::toy_machine(Isa::avx2);
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  const Kernel kernel = compile(plan);
  Random random(seed);
  const std::vector<float> input = test::random_floats(random, kernel.input_size());
  const Packed weights = kernel.pack_weights(test::random_floats(random, kernel.weights_size()));
  std::vector<float> output(kernel.output_size(), -777.0F);
  kernel.run(input, weights, output);
  return output;
}

void check_same_bits(const Problem& problem, Schedule schedule, unsigned seed) {
  CAPTURE(to_string(problem));
  CAPTURE(to_string(schedule));
  const std::vector<float> packed = output_of(problem, schedule, seed);
  schedule.pack_input.reset();
  const std::vector<float> direct = output_of(problem, schedule, seed);
  CHECK(std::memcmp(packed.data(), direct.data(), direct.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("a packed box of a strided 1x1 convolution has no gaps, channels innermost") {
  const Computation conv = computation_of(parse_conv("mb1ic64ih28oc8oh14kh1sh2ph0"));
  const TensorLayout box = packed_layout(conv, box_of(conv, "chw", {64, 2, 14}), conv.dim("k"));
  CHECK(box.elements == 2 * 14 * 64);
  CHECK(box.axes[2].offset(1) == 1);
  CHECK(box.axes[4].offset(2) == 64);
  CHECK(box.axes[3].offset(2) == 14 * 64);
}

TEST_CASE("pixels of 256 packed channels are a cache line more than 1 KiB apart") {
  const Computation conv = computation_of(parse_conv("mb1ic256ih4oc8oh4kh1ph0"));
  CHECK(packed_layout(conv, box_of(conv, "cw", {256, 4}), conv.dim("k")).axes[4].stride ==
        256 + 16);
}

TEST_CASE("a packed box of a dilated window holds what lies between its taps") {
  const Computation conv = computation_of(parse_conv("mb1ic4ih9oc8oh5kh3dh1ph0"));
  const TensorLayout box = packed_layout(conv, box_of(conv, "chr", {4, 5, 3}), conv.dim("k"));
  CHECK(box.elements == (5 + 2 * 2) * 4);
}

TEST_CASE(
    "in a packed box for vectors of pixels rows of them are innermost, odd ones behind even ones") {
  const Computation conv = computation_of(parse_conv("mb1ic4ih9oc2oh4kh3sh2ph0"));
  const TensorLayout box = packed_layout(conv, box_of(conv, "cws", {4, 4, 3}), conv.dim("w"));
  CHECK(box.axes[4].offset(2) == 1);  // The input of the next output follows directly in the box.
  // The box stores the 5 even indices 0 2 4 6 8 before the odd ones.
  CHECK(box.axes[4].offset(1) == 5);
  CHECK(box.axes[2].offset(1) == 10);  // Each channel has room for 5 even and 5 odd indices.
  CHECK(box.elements == 4 * 10);
}

TEST_CASE("zeros are written where vectors of pixels lie across the border") {
  const Computation conv = computation_of(parse_conv("mb1ic1ih1oc1oh1kh1ph0iw3ow3kw3pw1"));
  const TensorLayout input = layout_of(conv, Operand::input, Layout::nchw);
  // The box is for 4 outputs instead of 3, as if a vector of 4 computed the row, because vectors
  // are computed whole.
  const Tile box = box_of(conv, "ws", {4, 3});
  const TensorLayout packed = packed_layout(conv, box, conv.dim("w"));
  const std::vector<float> row{1, 2, 3};
  std::vector<float> copied(6, -1);
  copy_box(plan_box_copy(conv, input, packed, box, conv.dim("w")),
           reinterpret_cast<const char*>(row.data() - 1), reinterpret_cast<char*>(copied.data()),
           {-1});
  CHECK(copied == std::vector<float>{0, 1, 2, 3, 0, 0});
}

/// Checks the packed box that 64 outputs of a row would read. The input has two channels of `width`
/// pixels. In the box, one zero precedes them, and zeros follow them. The windows are `stride`
/// apart. Pixel x of channel c has the value c * 1000 + x.
template <class Number>
void check_packed_row(Layout layout, std::int64_t width, std::int64_t stride) {
  ConvShape shape =
      parse_conv("mb1ic2ih1oc1oh1kh1ph0iw" + std::to_string(width) + "ow" +
                 std::to_string((width - 1) / stride + 1) + "kw3pw1sw" + std::to_string(stride));
  shape.types = element_type<Number>();
  CAPTURE(to_string(shape));
  CAPTURE(to_string(layout));
  const Computation conv = computation_of(shape);
  const TensorLayout input = layout_of(conv, Operand::input, layout);
  const Tile box = box_of(conv, "cws", {2, 64, 3});
  const TensorLayout packed = packed_layout(conv, box, conv.dim("w"));
  std::vector<Number> from(static_cast<std::size_t>(input.elements));
  for (std::int64_t c = 0; c < 2; ++c)
    for (std::int64_t x = 0; x < width; ++x)
      from[static_cast<std::size_t>(input.axes[2].offset(c) + input.axes[4].offset(x))] =
          static_cast<Number>(c * 1000 + x);
  std::vector<Number> copied(static_cast<std::size_t>(packed.elements), -1);
  copy_box(plan_box_copy(conv, input, packed, box, conv.dim("w")),
           reinterpret_cast<const char*>(from.data() - input.axes[4].offset(1)),
           reinterpret_cast<char*>(copied.data()), {-1});
  for (std::int64_t c = 0; c < 2; ++c)
    for (std::int64_t i = 0; i < 63 * stride + 3; ++i) {
      const std::int64_t x = i - 1;
      const auto expected = static_cast<Number>(x >= 0 && x < width ? c * 1000 + x : 0);
      CAPTURE(c);
      CAPTURE(x);
      CHECK(copied[static_cast<std::size_t>(packed.axes[2].offset(c) + packed.axes[4].offset(i))] ==
            expected);
    }
}

TEST_CASE_TEMPLATE("rows of pixels from any layout have zeros at both ends", Number, float,
                   double) {
  for (const Layout layout : {Layout::nchw, Layout::nhwc})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t width : {1, 3, 4, 55, 56})
        check_packed_row<Number>(layout, width, stride);
}

TEST_CASE_TEMPLATE("padding is not copied", Number, float, double) {
  ConvShape shape = parse_conv("mb1ic1ih3oc8oh3kh3ph1iw1ow1kw1pw0");
  shape.types = element_type<Number>();
  const Computation conv = computation_of(shape);
  const TensorLayout input = layout_of(conv, Operand::input, Layout::nhwc);
  const Tile box = box_of(conv, "hr", {3, 3});
  const TensorLayout packed = packed_layout(conv, box, conv.dim("k"));
  const std::vector<Number> rows{1, 2, 3};
  std::vector<Number> copied(5, -1);
  copy_box(plan_box_copy(conv, input, packed, box, conv.dim("k")),
           reinterpret_cast<const char*>(rows.data() - 1), reinterpret_cast<char*>(copied.data()),
           {-1, 0});
  CHECK(copied == std::vector<Number>{-1, 1, 2, 3, -1});
}

TEST_CASE("pack=in@POS counts the loops outside the box, and must be outside the microkernel") {
  const std::string layer = "mb1ic4ih8oc8oh8kh1ph0";
  CHECK(outside(layer, "[T(8,h), T(8,w), T(4,c), V(k)]", 0) == 1);
  CHECK(outside(layer, "[T(8,h), T(8,w), T(1,n), T(4,c), V(k)]", 2) == 2);
  CHECK_THROWS_WITH_AS(outside(layer, "[T(8,h), T(8,w), T(4,c), V(k)]", 2),
                       "schedule: pack=in@2 is inside a loop over c that the microkernel runs; "
                       "must be outside the reduction loops around it",
                       Error);
  CHECK_THROWS_WITH_AS(outside(layer, "[T(8,h), T(4,c), U(8,w), V(k)]", 2),
                       "schedule: pack=in@2 is not a loop; must be one of the 2 outside U and V",
                       Error);
}

TEST_CASE("kernels that pack compute the same bits as kernels that do not") {
  int packed = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const ConvShape shape = test::random_shape(random);
    Schedule schedule = test::random_schedule(random, shape, kLanes);
    schedule.in = test::random_layout(random, Isa::avx2);
    schedule.out = test::random_layout(random, Isa::avx2);
    schedule.pack_input = test::random_box(random, schedule);
    if (!schedule.pack_input) continue;
    CAPTURE(seed);
    try {
      check_same_bits(shape, schedule, seed);
      ++packed;
    } catch (const Error& error) {
      CHECK_MESSAGE(test::says_layout_does_not_fit(error.what()), error.what());
    }
  }
  CHECK(packed >= 60);
}

TEST_CASE("a product with padded rows packs inside any loop") {
  const std::string loops = "[T(2,j), T(5,k), T(3,i), T(2,j), T(11,k), U(4,i), V(j)]";
  for (const char* mark : {" pack=in@0", " pack=in@1", " pack=in@2", " pack=in@3"})
    check_same_bits(parse_gemm("m12n29k55lda61ldb37ldc40"), parse_schedule(loops + mark), 3);
}

TEST_CASE("boxes under both parts of a lambda have room in one buffer") {
  check_same_bits(parse_conv("mb1ic5ih17oc16oh17kh3ph1"),
                  parse_schedule("[L(w,[1*8,1*9]), T(17,h), T(2,k), T(3,r), T(3,s), T(5,c), U(w), "
                                 "V(k)] in=nchw out=nhwc pack=in@0"),
                  1);
}
