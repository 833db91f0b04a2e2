// SPDX-License-Identifier: Apache-2.0
// This test compares kernels that multiply tiles of AMX with plain loops. Encodings of instructions
// are checked on all CPUs.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "attached_kernel.h"
#include "error_of.h"
#include "half.h"
#include "integers.h"
#include "microkernel.h"
#include "random_schedule.h"
#include "strips.h"
#include "tileplan/error.h"

using namespace tileplan;
using test::Random;

namespace {

const VectorUnit kTileUnit{.isa = Isa::amx,
                           .lanes = 16,
                           .dots = {.integers = true, .bf16 = true},
                           .registers = 8,
                           .fma_units = 1};

Kernel compiled(const Problem& problem, const Schedule& schedule, const Epilogue& epilogue = {},
                int threads = 1) {
  Plan plan = test::plan_for(problem, schedule, Isa::amx);
  plan.machine.vector = kTileUnit;
  plan.options.epilogue = epilogue;
  plan.options.threads = threads;
  return compile(plan);
}

Check checked(const Kernel& kernel, std::uint64_t seed = 1) {
  Tensors tensors(kernel.problem(), seed);
  return AttachedKernel(kernel, tensors).check_all();
}

/// Returns `strips` with the channels of one strip of an AMX tile in place of each of its input
/// channels. The last strip may be incomplete.
ConvShape with_channels(Random& random, ConvShape strips, const TensorTypes& types) {
  constexpr std::int64_t kMost = 16;
  const std::int64_t group = 4 / bytes_of(types.input), steps = strips.c / strips.g;
  const std::int64_t groups = test::pick(random, kMost * (steps - 1) + 1, kMost * steps);
  strips.c = strips.g * (groups * group - test::pick(random, 0, group - 1));
  strips.types = types;
  return strips;
}

/// Turns the unrolled rows of `schedule` into a loop, so that the pixels of a tile are in one row.
/// A schedule with a list of blocks of rows stays unchanged.
Schedule with_one_row(Schedule schedule) {
  const auto row = std::ranges::find_if(schedule.loops, [](const Specifier& loop) {
    return loop.kind == Kind::unroll && loop.dim == "h";
  });
  const bool uneven = std::ranges::any_of(
      schedule.loops, [](const Specifier& loop) { return loop.is_lambda() && loop.dim == "h"; });
  if (row == schedule.loops.end() || uneven) return schedule;
  const std::int64_t rows = row->count;
  row->count = 1;
  schedule.loops.insert(schedule.loops.begin(), test::counted_loop(Kind::tile, "h", rows));
  return schedule;
}

struct Tried {
  int passed = 0, unfit = 0;
};

bool says_unfit(const std::string& why) {
  return test::says_layout_does_not_fit(why) || why.find("amx has only 8 tiles") != why.npos ||
         why.find("vectors of the input") != why.npos;
}

void check_random(const TensorTypes& types, unsigned seed, Tried& tried) {
  Random random(seed);
  const ConvShape strips = test::random_shape(random, 3, 18);
  if (std::string(test::vector_dim(strips)) == "g") return;
  const ConvShape shape = with_channels(random, strips, types);
  const ConvShape loops = test::shape_of_loops(shape, loop_types(types, kTileUnit));
  Schedule schedule =
      test::with_parallel_loops(random, test::random_schedule(random, loops, kTileUnit.lanes));
  if (seed % 4 != 0) schedule = with_one_row(std::move(schedule));
  schedule.in = test::random_layout(random, Isa::avx512);
  schedule.out = test::random_layout(random, Isa::avx512);
  Epilogue epilogue = seed % 2 == 0 ? test::random_epilogue(random) : Epilogue{};
  epilogue = test::with_factors_for(types, epilogue);
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  CAPTURE(to_string(epilogue));
  CAPTURE(seed);
  try {
    const Check check =
        checked(compiled(shape, schedule, epilogue, static_cast<int>(seed % 3) + 1), seed);
    CHECK_MESSAGE(check.passed(), check.got, " instead of ", check.expected, " at ",
                  check.worst_index);
    ++tried.passed;
  } catch (const Error& error) {
    CHECK_MESSAGE(says_unfit(error.what()), std::string(error.what()));
    ++tried.unfit;
  }
}

/// Returns true when `code` contains `bytes` near its start.
bool contains(const void* code, const std::array<std::uint8_t, 5>& bytes) {
  constexpr std::size_t kNear = 256;
  const auto* const begin = static_cast<const std::uint8_t*>(code);
  const auto* const end = begin + kNear;
  return std::search(begin, end, bytes.begin(), bytes.end()) != end;
}

MicrokernelSpec one_tile(const ProductCode& product) {
  MicrokernelSpec spec{.isa = Isa::amx, .product = product};
  constexpr std::int64_t kPixel = 128, kRow = 64;
  for (int pixel = 0; pixel < 16; ++pixel) {
    spec.input_offsets.push_back(pixel * kPixel);
    spec.output_offsets.push_back(pixel * kRow);
  }
  spec.reduction.bodies = {all_pixels(16)};
  spec.reduction.step_stride = product.strip_bytes;
  return spec;
}

std::array<std::uint8_t, 5> product_of_first_tiles(std::uint8_t prefix, std::uint8_t opcode) {
  return {0xc4, 0xe2, prefix, opcode, 0xc1};  // The instruction computes tmm0 += tmm1 * tmm2.
}

}  // namespace

TEST_CASE("tiles: random convolutions equal plain loops") {
  if (!host_has(Isa::amx)) return;
  for (const char* names :
       {"u8:s8:s32", "s8:s8:s32", "u8", "s8:u8:s32", "u8:s8:bf16", "s8", "bf16", "bf16:bf16:f32"}) {
    CAPTURE(names);
    Tried tried;
    for (unsigned seed = 1; seed <= 60; ++seed) check_random(parse_types(names), seed, tried);
    CHECK(tried.passed >= 2 * tried.unfit);
  }
}

TEST_CASE("tiles: products with remainders of all sizes equal plain loops") {
  if (!host_has(Isa::amx)) return;
  const auto check = [](const char* problem, const char* schedule) {
    CAPTURE(problem);
    const Check result = checked(compiled(parse_problem(problem), parse_schedule(schedule)));
    CHECK_MESSAGE(result.passed(), result.got, " instead of ", result.expected);
  };
  check("--dt=u8:s8:s32 m1n16k4", "[V(j)]");
  check("--dt=u8:s8:s32 m33n50k70", "[T(3,i), T(2,j), T(2,k), U(11,i), U(2,j), V(j)]");
  check("--dt=s8:u8:s32 m64n96k256", "[T(2,i), T(3,j), T(4,k), U(32,i), U(2,j), V(j)]");
  check("--dt=bf16 m25n96k65", "[T(6,j), T(3,k), U(25,i), V(j)]");
  check("--dt=bf16:bf16:f32 m64n96k256lda300", "[P(4,i), T(8,k), U(16,i), U(6,j), V(j)]");
  check("--dt=s8:s8:s32 b3m20n37k100", "[P(3,b), T(3,j), T(2,k), U(20,i), V(j)]");
}

TEST_CASE("tiles: extreme bytes of all signs are exact, and sums wrap") {
  if (!host_has(Isa::amx)) return;
  const Schedule schedule = parse_schedule("[T(1024,k), V(j)]");
  const auto product = [&](const char* types, auto input, auto weight) {
    const Problem problem = parse_problem(std::string("--dt=") + types + " m1n16k65536");
    const Kernel kernel = compiled(problem, schedule);
    constexpr std::size_t kDepth = 65536, kWidth = 16;
    const std::vector<decltype(input)> inputs(kDepth, input);
    const std::vector<decltype(weight)> weights(kDepth * kWidth, weight);
    std::vector<std::int32_t> output(kWidth);
    kernel.run(inputs, kernel.pack_weights(weights), output);
    return output[kWidth - 1];
  };
  const auto wrapped = [](std::int64_t sum) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  };
  CHECK(product("u8:s8:s32", std::uint8_t{255}, std::int8_t{-128}) ==
        wrapped(-65536 * 255 * 128LL));
  CHECK(product("u8:u8:s32", std::uint8_t{255}, std::uint8_t{255}) == wrapped(65536 * 255 * 255LL));
  CHECK(product("s8:s8:s32", std::int8_t{-128}, std::int8_t{-128}) == wrapped(65536 * 128 * 128LL));
  CHECK(product("s8:u8:s32", std::int8_t{-128}, std::uint8_t{255}) ==
        wrapped(-65536 * 128 * 255LL));
}

TEST_CASE("tiles: elements of the caller beyond the last channel do not reach the sums") {
  if (!host_has(Isa::amx)) return;
  const Kernel kernel =
      compiled(parse_problem("--dt=bf16:bf16:f32 m2n3k5lda8"), parse_schedule("[U(2,i), V(j)]"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Bf16> input(kernel.input_size(), Bf16(nan));
  for (std::size_t row = 0; row < 2; ++row)
    std::fill_n(input.begin() + static_cast<std::ptrdiff_t>(8 * row), 5, Bf16(1.0F));
  const std::vector<Bf16> weights(15, Bf16(2.0F));
  std::vector<float> output(6);
  const auto view = [](const std::vector<Bf16>& of) {
    return ConstElements(of.data(), of.size(), ElementType::bf16);
  };
  kernel.run(view(input), kernel.pack_weights(view(weights)), output);
  for (const float sum : output) CHECK(sum == 10);
}

TEST_CASE("tiles: encodings of the products are those of Intel's manual") {
  const auto code = [](const ProductCode& product, std::uint8_t prefix, std::uint8_t opcode) {
    const Microkernel kernel(one_tile(product));
    return contains(kernel.body(all_pixels(16)), product_of_first_tiles(prefix, opcode));
  };
  const auto bytes = [](bool unsigned_input, bool unsigned_weights) {
    return ProductCode{.arithmetic = Arithmetic::tile_bytes,
                       .unsigned_weights = unsigned_weights,
                       .unsigned_input = unsigned_input,
                       .strip_bytes = 64};
  };
  constexpr std::uint8_t kBytes = 0x5e, kHalves = 0x5c;
  CHECK(code(bytes(true, true), 0x68, kBytes));    // The instruction is tdpbuud.
  CHECK(code(bytes(true, false), 0x69, kBytes));   // The instruction is tdpbusd.
  CHECK(code(bytes(false, true), 0x6a, kBytes));   // The instruction is tdpbsud.
  CHECK(code(bytes(false, false), 0x6b, kBytes));  // The instruction is tdpbssd.
  CHECK(code({.arithmetic = Arithmetic::tile_bf16, .strip_bytes = 64}, 0x6a, kHalves));
}

TEST_CASE("tiles: types and schedules without tiles are refused by name") {
  CHECK(error_of([] { loop_types(parse_types("f16"), kTileUnit); }) ==
        "element types f16 have no kernels for amx; must be bytes or bf16");
  if (!host_has(Isa::amx)) return;
  CHECK(error_of([] {
          compiled(parse_problem("--dt=u8:s8:s32 m64n64k64"),
                   parse_schedule("[T(2,i), U(32,i), U(4,j), V(j)]"));
        }) == "schedule: register tile of 2 rows of pixels x 4 vectors; amx has only 8 tiles");
  CHECK(error_of([] {
          compiled(parse_problem("--dt=u8:s8:s32 m64n16k64"),
                   parse_schedule("[T(4,i), U(16,i), V(j)] pack=in@0"));
        }) ==
        "schedule: pack=in@0 with strips of 64 bytes, which tiles load; boxes have elements of at "
        "most 8 bytes");
}
