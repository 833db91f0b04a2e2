// SPDX-License-Identifier: Apache-2.0
// This test compares emitted C of many combinations of element types with plain loops. It also
// compares packed weights, and outputs of kernels whose input has integers, with those of the
// assembled kernel, bit for bit.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "emitted_code.h"
#include "emitted_equal.h"
#include "emitted_program.h"
#include "integers.h"
#include "microkernel_spec.h"
#include "random_types.h"
#include "target.h"
#include "tileplan/error.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Describes how C for a target is emitted and compiled.
struct Variant {
  Target target = Target::scalar;
  DotProducts dots = {};
  ProgramCommands commands = {"gcc"};
};

Isa isa_of_variant(const Variant& variant) { return isa_of(variant.target).value_or(Isa::avx2); }

/// Returns the vector unit of the C of `variant` and of the kernel that is compared with it.
/// Scalar C uses strips of the size that AVX2 has. Emitted C converts whole tensors before and
/// after its loops, so the kernel must do so too.
VectorUnit unit_of_variant(const Variant& variant) {
  VectorUnit unit{.isa = isa_of_variant(variant), .dots = variant.dots};
  unit.dots.fused_conversions = false;
  return unit;
}

/// Checks that packed weights, and outputs if the input has integers, equal those of the assembled
/// kernel bit by bit.
void check_kernel(const Variant& variant, const Schedule& schedule, const Epilogue& epilogue,
                  Tensors& tensors, const ProgramResults& results) {
  const Problem& problem = tensors.computation().problem;
  Plan plan = plan_for(problem, schedule, isa_of_variant(variant));
  plan.machine.vector.dots = unit_of_variant(variant).dots;
  plan.options.epilogue = epilogue;
  std::optional<Kernel> kernel;
  try {
    kernel.emplace(compile(plan));
    // An error is accepted here. Kernels refuse some layouts that emitted C supports.
  } catch (const Error& error) {
    CHECK(says_layout_does_not_fit(error.what()));
    return;
  }
  const Packed packed = kernel->pack_weights(tensors.weights().elements(),
                                             tensors.numbers(epilogue.quantisation).zero_points());
  CHECK(std::memcmp(results.packed.data(), packed.data(), packed.size_bytes()) == 0);
  if (!is_integer(types_of(problem).input)) return;
  const AttachedKernel bound(*kernel, tensors);
  bound.run_from_start();
  const Buffer& output = tensors.output(schedule.out);
  CHECK(std::memcmp(results.output.data(), output.elements().data(), output.size_bytes()) == 0);
}

void check_random(const TemporaryFolder& folder, const TensorTypes& types, const Variant& variant,
                  unsigned seed) {
  Random random(seed);
  const Isa isa = isa_of_variant(variant);
  const LoopTypes loops = loop_types(types, unit_of_variant(variant));
  ConvShape shape = with_elements(random, emitted::random_shape(random), loops.strip);
  shape.types = types;
  Schedule schedule = with_parallel_loops(
      random,
      random_schedule(random, shape_of_loops(shape, loops), lanes_of(variant.target, loops.sums)));
  schedule.in = random_layout(random, isa);
  schedule.out = random_layout(random, isa);
  schedule.pack_input = random_box(random, schedule);
  Epilogue epilogue = seed % 2 == 0 ? random_epilogue(random) : Epilogue{};
  epilogue = with_factors_for(types, epilogue);
  if (seed % 4 != 1) epilogue = quantised(random, epilogue, types);
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  CAPTURE(to_string(epilogue));
  CAPTURE(seed);
  std::string text;
  try {
    text = emit_c(shape, schedule,
                  {.target = variant.target, .epilogue = epilogue, .dots = variant.dots})
               .source;
  } catch (const Error& error) {
    CHECK_MESSAGE(says_layout_does_not_fit(error.what()), error.what());
    return;
  }
  Tensors tensors(shape, seed);
  const ProgramResults results =
      check_program(folder, variant.commands, text, schedule, epilogue, tensors);
  if (variant.target != Target::scalar && variant.target != Target::neon)
    check_kernel(variant, schedule, epilogue, tensors, results);
}

void check_all(const Variant& variant, unsigned first, unsigned count) {
  if (!emitted::host_has(variant.target)) return;
  const TemporaryFolder folder;
  for (const char* names : kCombinations) {
    CAPTURE(names);
    const TensorTypes types = parse_types(names);
    // emit_test.cpp tests s32, whose C converts no tensors before or after the loops.
    if (types == ElementType::s32) continue;
    for (unsigned seed = first; seed < first + count; ++seed)
      check_random(folder, types, variant, seed);
  }
}

}  // namespace

TEST_CASE("all types: emitted scalar C equals plain loops") {
  check_all({.commands = {"gcc -fopenmp"}}, 1, 4);
}

TEST_CASE("all types: emitted AVX2 C equals plain loops, and integers the assembled kernel") {
  check_all({.target = Target::avx2, .commands = {"gcc -fopenmp"}}, 101, 4);
}

TEST_CASE("all types: emitted AVX-512 C without dot products equals plain loops and the kernel") {
  check_all({.target = Target::avx512}, 201, 3);
}

TEST_CASE("all types: emitted AVX-512 C with VNNI and BF16 equals plain loops and the kernel") {
  const DotProducts dots = host_dots(Isa::avx512);
  if (!dots.integers || !dots.bf16) return;
  const std::string compiler = "gcc -mavx512vnni -mavx512bf16 -mavx512vl";
  check_all({.target = Target::avx512, .dots = dots, .commands = {compiler}}, 301, 4);
  check_all({.target = Target::avx512vl, .dots = dots, .commands = {compiler}}, 401, 2);
}

TEST_CASE("all types: strips of dot products have exact fallbacks without the instructions") {
  const DotProducts dots{.integers = true, .bf16 = true};
  check_all({.target = Target::avx512, .dots = dots}, 501, 2);
  check_all({.target = Target::avx512vl, .dots = dots}, 601, 1);
}

TEST_CASE("all types: emitted C for vectors of four equals plain loops") {
  check_all({.target = Target::neon}, 701, 2);
}

TEST_CASE("all types: NEON C, emulated with and without dot products, equals plain loops") {
  if (!can_emulate_neon()) return;
  unsigned seed = 801;
  for (const char* features :
       {"-march=armv8.2-a+dotprod+i8mm+bf16", "-march=armv8.2-a+dotprod", "-march=armv8-a"})
    check_all(
        {.target = Target::neon,
         .commands = {std::string("aarch64-linux-gnu-gcc -static ") + features, "qemu-aarch64 "}},
        seed++ * 10, 1);
}

namespace {

/// Compares the C of one schedule with plain loops, and with the assembled kernel where there is
/// one.
void check_emitted(const Variant& variant, const Problem& problem, const Schedule& schedule,
                   const std::string& epilogue_text) {
  const Epilogue epilogue = parse_epilogue(epilogue_text);
  CAPTURE(to_string(problem));
  CAPTURE(to_string(schedule));
  CAPTURE(epilogue_text);
  CAPTURE(to_string(variant.target));
  const TemporaryFolder folder;
  const std::string text =
      emit_c(problem, schedule,
             {.target = variant.target, .epilogue = epilogue, .dots = variant.dots})
          .source;
  Tensors tensors(problem, 1);
  const ProgramResults results =
      check_program(folder, variant.commands, text, schedule, epilogue, tensors);
  if (variant.target != Target::scalar && variant.target != Target::neon)
    check_kernel(variant, schedule, epilogue, tensors, results);
}

/// Checks the product `shape`, whose matrices have 5 x 37 outputs of 10 terms each.
void check_product(const Variant& variant, const std::string& types, const std::string& shape,
                   const std::string& epilogue) {
  const Problem problem = parse_problem("--dt=" + types + " " + shape);
  const LoopTypes loops = loop_types(types_of(problem), unit_of_variant(variant));
  const auto count = [](std::int64_t extent, std::int64_t step) {
    return std::to_string(ceil_div(extent, step));
  };
  const std::string batch = shape.starts_with("b3") ? "P(3,b), " : "";
  const Schedule schedule =
      parse_schedule("[" + batch + "T(" + count(37, lanes_of(variant.target, loops.sums)) +
                     ",j), T(5,i), T(" + count(10, loops.strip) + ",k), V(j)]");
  check_emitted(variant, problem, schedule, epilogue);
}

std::vector<Variant> variants_of_host();

}  // namespace

TEST_CASE("emitted C: products with batches, pitches, transposed matrices and zero points") {
  constexpr const char* kShapes[] = {"m5n37k10", "b3m5n37k10", "m5n37k10ta1lda9",
                                     "m5n37k10tb1ldb12", "b3m5n37k10lda12ldb40ldc41sc300"};
  unsigned turn = 0;
  for (const Variant& variant : variants_of_host())
    for (const char* shape : kShapes) {
      const bool even = ++turn % 2 == 0;
      check_product(variant, even ? "u8:s8:u8" : "s8:s8:s32", shape,
                    even ? "input-zero,weights-zero=channel,bias,scale=channel,relu,output-zero"
                         : "input-zero,weights-zero,bias,clamp=-9000:9000");
      check_product(variant, even ? "bf16" : "f16:f16:f32", shape, "bias,relu");
    }
}

TEST_CASE("emitted C: vectors of pixels read strips") {
  for (const Variant& variant : variants_of_host()) {
    const Problem problem = parse_problem("--dt=s8:s8:u8 mb1ic8ih5oc6oh5kh3ph1iw19ow19kw3pw1");
    const LoopTypes loops = loop_types(types_of(problem), unit_of_variant(variant));
    const std::string vectors = std::to_string(ceil_div(19, lanes_of(variant.target, loops.sums)));
    struct ChannelTile {
      const char *blocks, *channels, *layouts;
    };
    for (const auto& [blocks, channels, layouts] :
         {ChannelTile{"T(2,k)", "U(3,k)", "in=nhwc out=nhwc"},
          ChannelTile{"T(6,k)", "U(1,k)", "in=nchw out=nchw"}})
      check_emitted(variant, problem,
                    parse_schedule(std::string("[") + blocks + ", T(5,h), T(" + vectors +
                                   ",w), T(3,r), T(3,s), T(" + std::to_string(8 / loops.strip) +
                                   ",c), " + channels + ", V(w)] " + layouts + " pack=in@1"),
                    "input-zero,bias,scale,relu");
  }
}

TEST_CASE("emitted C: depthwise convolutions of bytes copy the input into strips of three taps") {
  for (const Variant& variant : variants_of_host()) {
    if (!variant.dots.integers && variant.target != Target::neon) continue;
    const Problem problem = parse_problem("--dt=u8:s8:u8 g32mb1ic32oc32ih5oh5kh3ph1");
    const std::string vectors = std::to_string(32 / lanes_of(variant.target, ElementType::s32));
    check_emitted(
        variant, problem,
        parse_schedule("[T(" + vectors + ",g), T(5,h), T(3,r), U(5,w), V(g)] in=nhwc out=nhwc"),
        "bias,scale=channel,relu");
  }
}

namespace {

/// Returns the outputs of C = A B. All 3 x k elements of A are `input`, and all k x 32 elements of
/// B are `weight`.
template <class Input, class Weight, class Output>
std::vector<Output> constant_product(const Variant& variant, const std::string& types,
                                     std::int64_t k, Input input, Weight weight) {
  const TemporaryFolder folder;
  const Problem problem = parse_problem("--dt=" + types + " m3n32k" + std::to_string(k));
  const LoopTypes loops = loop_types(types_of(problem), unit_of_variant(variant));
  const std::int64_t steps = ceil_div(k, loops.strip);
  const std::int64_t vectors = 32 / lanes_of(variant.target, loops.sums);
  const Schedule schedule = parse_schedule("[T(" + std::to_string(vectors) + ",j), T(3,i), T(" +
                                           std::to_string(steps) + ",k), V(j)]");
  const std::string text =
      emit_c(problem, schedule, {.target = variant.target, .dots = variant.dots}).source;
  const std::vector<Input> inputs(static_cast<std::size_t>(3 * k), input);
  const std::vector<Weight> weights(static_cast<std::size_t>(32 * k), weight);
  std::vector<Output> output(3 * 32);
  const ProgramOperands operands{.tensors = {weights, ConstElements(), inputs, ConstElements(),
                                             ConstElements(), ConstElements(), output},
                                 .zero_points = {0, 0, 0}};
  const ProgramResults results = run_program(folder, variant.commands, text, {}, operands);
  std::memcpy(output.data(), results.output.data(), results.output.size());
  return output;
}

std::vector<Variant> variants_of_host() {
  std::vector<Variant> variants{{.target = Target::scalar},
                                {.target = Target::avx2},
                                {.target = Target::avx512},
                                {.target = Target::avx512, .dots = {.integers = true}},
                                {.target = Target::neon}};
  if (host_dots(Isa::avx512).integers)
    variants.push_back(
        {.target = Target::avx512, .dots = {.integers = true}, .commands = {"gcc -mavx512vnni"}});
  std::erase_if(variants, [](const Variant& each) { return !emitted::host_has(each.target); });
  return variants;
}

}  // namespace

TEST_CASE("emitted C: products of bytes do not saturate, and sums wrap") {
  for (const Variant& variant : variants_of_host()) {
    CAPTURE(to_string(variant.target));
    CAPTURE(variant.dots.integers);
    // The sum 255 * 127 + 255 * 127 = 64770 does not fit into 16 signed bits.
    const auto bytes = [&](std::int8_t weight) {
      return constant_product<std::uint8_t, std::int8_t, std::int32_t>(variant, "u8:s8:s32", 7, 255,
                                                                       weight);
    };
    CHECK(bytes(127) == std::vector<std::int32_t>(96, 7 * 255 * 127));
    CHECK(bytes(-128) == std::vector<std::int32_t>(96, -7 * 255 * 128));
    // 3 * 2^30 wraps to -2^30.
    const auto pairs = constant_product<std::int16_t, std::int16_t, std::int32_t>(
        variant, "s16:s16:s32", 3, -32768, -32768);
    CHECK(pairs == std::vector<std::int32_t>(96, -(1 << 30)));
  }
}
