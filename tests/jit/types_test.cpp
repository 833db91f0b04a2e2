// SPDX-License-Identifier: Apache-2.0
// This test compares kernels of many combinations of element types with plain loops.
#include <doctest/doctest.h>

#include <string>

#include "attached_kernel.h"
#include "error_of.h"
#include "host_isas.h"
#include "integers.h"
#include "microkernel_spec.h"
#include "random_types.h"
#include "tileplan/error.h"

using namespace tileplan;
using test::Random;

namespace {

Kernel compiled(const Problem& problem, const Schedule& schedule, Isa isa, const DotProducts& dots,
                const Epilogue& epilogue = {}) {
  Plan plan = test::plan_for(problem, schedule, isa);
  plan.machine.vector.dots = dots;
  plan.options.epilogue = epilogue;
  return compile(plan);
}

Check checked(const Kernel& kernel, std::uint64_t seed = 1) {
  Tensors tensors(kernel.problem(), seed);
  return AttachedKernel(kernel, tensors).check_all();
}

struct Tried {
  int passed = 0, unfit = 0;
};

void check_random(const TensorTypes& types, Isa isa, const DotProducts& dots, unsigned seed,
                  Tried& tried) {
  Random random(seed);
  const LoopTypes loops = loop_types(types, {.isa = isa, .dots = dots});
  const ConvShape strips = test::random_shape(random);
  ConvShape shape = test::with_elements(random, strips, loops.strip);
  shape.types = types;
  Schedule schedule = test::with_parallel_loops(
      random,
      test::random_schedule(random, test::shape_of_loops(shape, loops), lanes_of(isa, loops.sums)));
  schedule.in = test::random_layout(random, isa);
  schedule.out = test::random_layout(random, isa);
  schedule.pack_input = test::random_box(random, schedule);
  Epilogue epilogue = seed % 2 == 0 ? test::random_epilogue(random) : Epilogue{};
  epilogue = test::with_factors_for(types, epilogue);
  if (seed % 4 != 1) epilogue = test::quantised(random, epilogue, types);
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  CAPTURE(to_string(epilogue));
  CAPTURE(seed);
  try {
    const Check check = checked(compiled(shape, schedule, isa, dots, epilogue), seed);
    CHECK_MESSAGE(check.passed(), check.got, " instead of ", check.expected, " at ",
                  check.worst_index);
    ++tried.passed;
  } catch (const Error& error) {
    const std::string why = error.what();
    CHECK_MESSAGE(test::says_layout_does_not_fit(why), why);
    ++tried.unfit;
  }
}

void check_types(const std::string& names, Isa isa, const DotProducts& dots) {
  CAPTURE(names);
  Tried tried;
  const unsigned seeds = test::kIsSanitized ? 12 : 40;
  for (unsigned seed = 1; seed <= seeds; ++seed)
    check_random(parse_types(names), isa, dots, seed, tried);
  CHECK(tried.passed >= tried.unfit);
}

void check_all(Isa isa, const DotProducts& dots) {
  for (const char* names : test::kCombinations) check_types(names, isa, dots);
}

/// Returns loops over rows of the output, vectors of groups and taps. The register tile has all
/// pixels of a row, of which there must be at most 14.
Schedule depthwise_schedule(const ConvShape& shape, Isa isa) {
  constexpr std::int64_t kMost = 14;
  const std::int64_t width = shape.width.out;
  const std::int64_t vectors = ceil_div(shape.g, lanes_of(isa, ElementType::s32));
  std::vector<Specifier> loops;
  const auto add = [&](Kind kind, const char* dim, std::int64_t count) {
    if (count > 1) loops.push_back(test::counted_loop(kind, dim, count));
  };
  add(Kind::tile, "h", shape.height.out);
  add(Kind::tile, "g", vectors);
  add(Kind::tile, "r", shape.height.filter);
  add(Kind::tile, "s", shape.width.filter);
  if (width <= kMost) add(Kind::unroll, "w", width);
  loops.push_back(test::counted_loop(Kind::vector, "g", 0));
  return {.loops = loops, .in = Layout::nhwc, .out = Layout::nhwc};
}

/// Returns true when kernels of `types` can have `epilogue`, one of those in check_depthwise().
bool takes_epilogue(const TensorTypes& types, const std::string& epilogue) {
  if (epilogue == "none") return true;
  if (types.output == ElementType::s32 || !is_integer(types.input)) return false;
  return !epilogue.ends_with("output-zero") || bytes_of(types.output) == 1;
}

/// Checks the convolution `shape` of the types `names` with several epilogues. A name that ends
/// with "widen" is checked with widened bf16.
void check_depthwise(const char* shape, std::string names, Isa isa) {
  CAPTURE(shape);
  CAPTURE(names);
  CAPTURE(to_string(isa));
  DotProducts dots = host_dots(isa);
  dots.widens_bf16 = names.ends_with(" widen");
  names = names.substr(0, names.find(' '));
  const Problem problem = parse_problem(std::string("--dt=") + names + " mb1" + shape);
  const Schedule schedule = depthwise_schedule(std::get<ConvShape>(problem), isa);
  for (const std::string epilogue : {"none", "bias,scale=channel,relu", "scale,output-zero",
                                     "input-zero,weights-zero=channel,bias,scale"}) {
    if (!takes_epilogue(parse_types(names), epilogue)) continue;
    CAPTURE(epilogue);
    CHECK(checked(compiled(problem, schedule, isa, dots, parse_epilogue(epilogue))).passed());
  }
}

bool host_has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

}  // namespace

TEST_CASE("all types: kernels for avx2 equal plain loops") { check_all(Isa::avx2, {}); }

TEST_CASE("all types: kernels for avx512 without dot products equal plain loops") {
  if (host_has_avx512()) check_all(Isa::avx512, {});
}

TEST_CASE("all types: kernels for avx512 with dot products equal plain loops") {
  if (host_has_avx512()) check_all(Isa::avx512, host_dots(Isa::avx512));
}

TEST_CASE("all types: kernels for avx512vl with dot products equal plain loops") {
  if (host_has_avx512()) check_all(Isa::avx512vl, host_dots(Isa::avx512vl));
}

TEST_CASE("bf16: kernels that widen it instead of using vdpbf16ps equal plain loops") {
  if (!host_dots(Isa::avx512).bf16) return;
  for (const Isa isa : {Isa::avx512, Isa::avx512vl}) {
    DotProducts dots = host_dots(isa);
    dots.widens_bf16 = true;
    for (const char* names : {"bf16", "bf16:bf16:f32"}) check_types(names, isa, dots);
  }
}

TEST_CASE("bytes: extremes do not saturate, and sums wrap") {
  if (!host_dots(Isa::avx512).integers) return;
  // The sum 255 * 127 + 255 * 127 = 64770 does not fit into 16 signed bits.
  const Problem problem = parse_problem("--dt=u8:s8:s32 m1n16k4");
  const Schedule schedule = parse_schedule("[V(j)]");
  for (const DotProducts& dots : {DotProducts{}, host_dots(Isa::avx512)}) {
    const Schedule loops = dots.integers ? schedule : parse_schedule("[T(2,k), V(j)]");
    const Kernel kernel = compiled(problem, loops, Isa::avx512, dots);
    std::vector<std::int32_t> output(16);
    kernel.run(std::vector<std::uint8_t>(4, 255),
               kernel.pack_weights(std::vector<std::int8_t>(64, 127)), output);
    CHECK(output.front() == 4 * 255 * 127);
    kernel.run(std::vector<std::uint8_t>(4, 255),
               kernel.pack_weights(std::vector<std::int8_t>(64, -128)), output);
    CHECK(output.back() == -4 * 255 * 128);
  }
  // 2^30 + 2^30 wraps to -2^31 in one step of vpdpwssd.
  const Kernel pairs = compiled(parse_problem("--dt=s16:s16:s32 m1n16k2"), schedule, Isa::avx512,
                                host_dots(Isa::avx512));
  std::vector<std::int32_t> sums(16);
  pairs.run(std::vector<std::int16_t>(2, -32768),
            pairs.pack_weights(std::vector<std::int16_t>(32, -32768)), sums);
  CHECK(sums.front() == std::numeric_limits<std::int32_t>::min());
}

TEST_CASE("depthwise: kernels make strips of single elements in registers") {
  if (!host_dots(Isa::avx512).integers || !host_dots(Isa::avx512).bf16) return;
  // The shapes have filters of 1 to 7 rows, strides, dilations, tails of vectors, and outputs that
  // read only padding.
  const char* const shapes[] = {"g32ic32ih9oc32oh9kh3ph1",
                                "g48ic48ih9oc48oh5kh3sh2ph1",
                                "g37ic37ih8oc37oh8kh5ph2",
                                "g16ic16ih10oc16oh10kh7ph3",
                                "g20ic20ih9oc20oh9kh3ph2dh1",
                                "g64ic64ih6oc64oh6kh1",
                                "g33ic33ih1iw9oc33oh1ow9kh1kw3ph0pw1",
                                "g16ic16ih4oc16oh8kh3ph3"};
  const char* const types[] = {"u8:s8:s32", "u8:s8:u8",   "s8:s8:s8",   "u8:u8:u8",
                               "s8:u8:f32", "bf16",       "bf16 widen", "bf16:bf16:f32 widen",
                               "f16",       "f16:f16:f32"};
  for (const Isa isa : {Isa::avx512, Isa::avx512vl})
    for (const char* const shape : shapes)
      for (const char* const names : types) check_depthwise(shape, names, isa);
}

TEST_CASE("depthwise: strips in registers need vectors of groups, also from a box") {
  if (!host_dots(Isa::avx512).bf16) return;
  const Problem problem = parse_problem("--dt=bf16 mb1g19ic19ih8oc19oh8kh3ph1");
  const Schedule schedule =
      parse_schedule("[T(8,h), T(19,g), T(3,r), T(3,s), V(w)] in=nchw out=nchw pack=in@0");
  CHECK(error_of([&] { compiled(problem, schedule, Isa::avx512, host_dots(Isa::avx512)); }) ==
        "schedule: V(w) of groups of one channel in bf16; must be V(g)");
}

TEST_CASE("bytes: a batch of products has corrections of its own") {
  if (!host_dots(Isa::avx512).integers) return;
  const Problem problem = parse_problem("--dt=s8:s8:s32 b3m5n37k10");
  const Schedule schedule = parse_schedule("[T(3,b), T(3,j), T(5,i), T(3,k), V(j)]");
  const Epilogue bias{.bias = true};
  for (const Epilogue& epilogue : {Epilogue{}, bias}) {
    const Kernel kernel =
        compiled(problem, schedule, Isa::avx512, host_dots(Isa::avx512), epilogue);
    CHECK(checked(kernel).passed());
  }
}

TEST_CASE("zero points: rows and columns of a batch of products are corrected") {
  for (const char* types : {"s8:s8:s32", "u8:s8:s32", "u8:u8:u8"}) {
    const Problem problem = parse_problem(std::string("--dt=") + types + " b3m5n37k10");
    const Schedule schedule = parse_schedule("[T(3,b), T(5,j), T(5,i), T(5,k), V(j)]");
    for (const char* text : {"input-zero", "weights-zero", "input-zero,weights-zero=channel,bias"})
      CHECK(checked(compiled(problem, schedule, Isa::avx2, {}, parse_epilogue(text))).passed());
  }
}

TEST_CASE("zero points: products of a batch that share A or B are corrected") {
  for (const char* shared : {"sa0", "sb0"}) {
    CAPTURE(shared);
    const Problem problem = parse_problem(std::string("--dt=u8:s8:s32 b6m5n9k10") + shared);
    const Schedule schedule = parse_schedule("[T(6,b), T(2,j), T(5,i), T(5,k), V(j)]");
    for (const char* text : {"input-zero", "weights-zero=channel", "input-zero,weights-zero,bias"})
      CHECK(checked(compiled(problem, schedule, Isa::avx2, {}, parse_epilogue(text))).passed());
  }
}

TEST_CASE("zero points: rows of all matrices that share B are one dimension, bi") {
  const Problem problem = parse_problem("--dt=u8:s8:s32 b6m5n9k10sb0");
  const Schedule schedule = parse_schedule("[T(30,bi), T(2,j), T(5,k), V(j)]");
  for (const char* text : {"weights-zero", "input-zero,weights-zero=channel,bias"})
    CHECK(checked(compiled(problem, schedule, Isa::avx2, {}, parse_epilogue(text))).passed());
}

TEST_CASE("zero points: matrices lie apart by no multiple of their rows") {
  const Problem problem = parse_problem("--dt=u8:s8:s32 b4m5n9k10ldb11sb113");
  const Schedule schedule = parse_schedule("[T(4,b), T(2,j), T(5,i), T(5,k), V(j)]");
  const Epilogue epilogue = parse_epilogue("input-zero,weights-zero=channel");
  CHECK(checked(compiled(problem, schedule, Isa::avx2, {}, epilogue)).passed());
}

TEST_CASE("scales: products of a batch share the scales of their columns") {
  if (!host_dots(Isa::avx512).integers) return;
  const Schedule schedule = parse_schedule("[T(6,b), T(5,i), T(3,k), V(j)]");
  const Epilogue scaled = parse_epilogue("bias,scale=channel,output-zero");
  for (const char* text : {"--dt=u8:s8:u8 b6m5n9k10", "--dt=u8:s8:s8 b6m5n9k10sa0"})
    CHECK(checked(
              compiled(parse_problem(text), schedule, Isa::avx512, host_dots(Isa::avx512), scaled))
              .passed());
}

TEST_CASE("zero points: any number of threads corrects the sums") {
  const Problem problem = parse_problem("--dt=u8:u8:s8 mb1ic6ih9oc16oh9kh3ph1g2");
  const Schedule schedule =
      parse_schedule("[P(9,h), T(2,g), T(3,r), T(3,s), T(2,c), T(9,w), V(k)] in=nchw out=nhwc");
  for (const int threads : {1, 2, 5}) {
    Plan plan = test::plan_for(problem, schedule, Isa::avx2);
    plan.options.threads = threads;
    plan.options.epilogue =
        parse_epilogue("input-zero,weights-zero=channel,bias,scale=channel,output-zero");
    const Kernel kernel = compile(plan);
    CHECK(kernel.threads() == threads);
    CHECK(checked(kernel).passed());
  }
}

TEST_CASE("types: tensors of others, and relations, are refused by name") {
  const Kernel kernel = compiled(parse_problem("--dt=u8:s8:s32 m1n16k4"),
                                 parse_schedule("[T(2,k), R(j), V(j)]"), host_isas().back(), {});
  const Packed weights = kernel.pack_weights(std::vector<std::int8_t>(64));
  std::vector<std::int32_t> output(16);
  CHECK(error_of([&] { kernel.run(std::vector<std::int8_t>(4), weights, output); }) ==
        "input: s8; this kernel takes u8");
  CHECK(error_of([&] { kernel.pack_weights(std::vector<std::uint8_t>(64)); }) ==
        "weights: u8; this kernel takes s8");
  const std::string relation =
      "--dt=s8:s8:s32 { S[i,j,k] : 0 <= i < 6 and 0 <= j < 16 and 0 <= k < 4 } reads { S[i,j,k] "
      "-> A[i,k]; S[i,j,k] -> B[k,j] } writes { S[i,j,k] -> C[i,j] }";
  CHECK(error_of([&] {
          compiled(parse_problem(relation), parse_schedule("[T(6,i), T(4,k), R(j), V(j)]"),
                   host_isas().back(), {});
        }) == "relations of s8:s8:s32 have no kernels; must be f32 or f64");
}
