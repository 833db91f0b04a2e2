// SPDX-License-Identifier: Apache-2.0
// This test compares emitted C with the definition of a convolution and with the assembled kernel,
// and checks the text of loops and prefetches.
#include "tileplan/emit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "element.h"
#include "emitted_code.h"
#include "emitted_equal.h"
#include "integers.h"
#include "random_schedule.h"
#include "target.h"
#include "tileplan/error.h"

using namespace tileplan;
using namespace tileplan::test::emitted;
using test::pick;
using test::Random;

namespace {

/// Compares the emitted C of a random convolution with its definition, and with the assembled
/// kernel if there is one for the target. C for NEON runs on every host, because it contains no
/// NEON intrinsics for these types.
template <class Number>
void check_random(const TemporaryFolder& folder, Target target, unsigned seed) {
  if (!host_has(target)) return;
  Random random(seed);
  const ElementType type = element_type<Number>();
  const int lanes = lanes_of(target, type);
  ConvShape shape = random_shape(random);
  shape.types = type;
  Schedule schedule = test::with_parallel_loops(random, random_schedule(random, shape, lanes));
  const Layout layouts[] = {Layout::nhwc, Layout::nchw,
                            lanes == 16 ? Layout::nChw16c : Layout::nChw8c};
  schedule.in = layouts[pick(random, 0, 2)];
  schedule.out = layouts[pick(random, 0, 2)];
  schedule.pack_input = test::random_box(random, schedule);
  schedule.ahead = test::random_ahead(random, shape, schedule, lanes);
  if (!schedule.ahead) test::draw_plain_weights(random, schedule);
  // The schedule cannot read weights in oihw in place, because their channels are not contiguous.
  schedule.weights_in_place = false;
  Epilogue epilogue = seed % 3 == 0 ? Epilogue{} : test::random_epilogue(random);
  if (std::is_integral_v<Number>) {
    constexpr double kEighths = 8;  // This factor makes the random limits, multiples of 1/8, whole.
    epilogue.low *= kEighths;
    epilogue.high *= kEighths;
  }
  epilogue = test::with_factors_for(shape.types, epilogue);
  CAPTURE(seed);
  CAPTURE(to_string(epilogue));
  CAPTURE(to_string(target));
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  const Computation computation = computation_of(shape);
  const std::vector<std::string> all = compilers();
  REQUIRE(!all.empty());
  std::string text;
  try {
    text = emit_c(computation.problem, schedule,
                  {.target = target, .name = "tileplan", .epilogue = epilogue})
               .source;
  } catch (const Error& error) {
    // This error is accepted, because layouts with blocks of channels do not fit every shape.
    CHECK(std::string(error.what()).find("nChw") != std::string::npos);
    return;
  }
  const CompiledOf<Number> code(folder, all[seed % all.size()], text);
  const RunOf<Number> run =
      run_emitted(random, code, computation, schedule, packed_floats(text), epilogue);
  CHECK(error_of(shape, computation, schedule, run) <= 1.0);
  const std::optional<Isa> isa = parse_isa(to_string(target));
  if (!isa || isa == Isa::neon) return;
  try {
    check_kernel_equal(shape, schedule, *isa, run);
  } catch (const Error& error) {
    // An error is accepted here. Kernels refuse some layouts that emitted C supports, because they
    // have no loops over parts of channel blocks.
    const std::string why = error.what();
    CHECK((why.find("block") != std::string::npos || why.find("contiguous") != std::string::npos));
  }
}

template <class Number = float>
void check_seeds(Target target, unsigned first, unsigned last) {
  const TemporaryFolder folder;
  for (unsigned seed = first; seed <= last; ++seed) check_random<Number>(folder, target, seed);
}

/// Compares the C of a schedule whose vectors hold pixels with the definition of a convolution.
void check_pixel_vectors(const TemporaryFolder& folder, Target target, const std::string& problem,
                         const std::string& marks) {
  if (!host_has(target)) return;
  CAPTURE(to_string(target));
  CAPTURE(problem);
  CAPTURE(marks);
  Random random(1);
  const ConvShape shape = parse_conv(problem);
  const std::int64_t vectors = ceil_div(shape.width.out, lanes_of(target));
  const Schedule schedule = parse_schedule("[T(2,k), T(5,h), T(" + std::to_string(vectors) +
                                           ",w), T(3,r), T(3,s), T(4,c), U(3,k), V(w)] " + marks);
  const Epilogue epilogue = test::random_epilogue(random);
  const Computation computation = computation_of(shape);
  const std::string text = emit_c(computation.problem, schedule,
                                  {.target = target, .name = "tileplan", .epilogue = epilogue})
                               .source;
  const CompiledOf<float> code(folder, compilers().front(), text);
  const RunOf<float> run =
      run_emitted(random, code, computation, schedule, packed_floats(text), epilogue);
  CHECK(error_of(shape, computation, schedule, run) <= 1.0);
}

}  // namespace

TEST_CASE("emit: vectors of pixels, of rows in place and of packed ones") {
  const TemporaryFolder folder;
  const std::string padded = "mb1ic4ih5oc6oh5kh3ph1iw19ow19kw3pw1";
  const std::string strided = "mb1ic4ih11oc6oh5kh3sh2ph0iw39ow19kw3sw2pw0";
  for (const Target target :
       {Target::scalar, Target::neon, Target::avx2, Target::avx512, Target::avx512vl}) {
    check_pixel_vectors(folder, target, padded, "in=nhwc out=nhwc pack=in@1");
    check_pixel_vectors(folder, target, strided, "in=nchw out=nchw pack=in@1");
    check_pixel_vectors(folder, target, strided, "in=nchw out=nchw");
  }
}

TEST_CASE("emit: weights of a relation that leave their array are packed as zeros") {
  const std::string domain =
      "{ S[i,j,k] : 0 <= i < 12 and 0 <= j < 40 and 0 <= k < 48 } reads { S[i,j,k] -> A[i-2,k+1]; ";
  const TemporaryFolder folder;
  for (const char* weights : {"B[3,k,j-5]", "B[k-32,j]"})
    for (const Target target : {Target::avx2, Target::avx512}) {
      if (!host_has(target)) continue;
      CAPTURE(weights);
      CAPTURE(to_string(target));
      const Problem problem =
          parse_problem(domain + "S[i,j,k] -> " + weights + " } writes { S[i,j,k] -> C[i,j] }");
      const Computation computation = computation_of(problem);
      const std::string blocks = std::to_string(ceil_div(40, lanes_of(target)));
      const Schedule schedule =
          parse_schedule("[T(3,i), T(" + blocks + ",j), T(2,k), T(24,k), U(4,i), V(j)]");
      const std::string text = emit_c(computation.problem, schedule, {.target = target}).source;
      const Compiled code(folder, compilers().front(), text);
      Random random(1);
      const Run run = run_emitted(random, code, computation, schedule, packed_floats(text));
      check_kernel_equal(problem, schedule, *isa_of(target), run);
      CHECK(std::count(run.packed.begin(), run.packed.end(), 0.0F) >= 5 * 48);
    }
}

TEST_CASE("emitted scalar C equals the definition of a convolution") {
  check_seeds(Target::scalar, 1, 24);
}

TEST_CASE("emitted AVX2 C equals the definition, and the assembled kernel bit for bit") {
  check_seeds(Target::avx2, 101, 140);
}

TEST_CASE("emitted AVX-512 C equals the definition, and the assembled kernel bit for bit") {
  check_seeds(Target::avx512, 201, 240);
}

TEST_CASE("emitted AVX-512VL C equals the definition, and the assembled kernel bit for bit") {
  check_seeds(Target::avx512vl, 241, 264);
}

TEST_CASE("emitted C for vectors of four equals the definition") {
  check_seeds(Target::neon, 301, 324);
}

TEST_CASE("emitted C for integers of 32 bits equals the definition and the assembled kernel") {
  for (const Target target : {Target::scalar, Target::avx2, Target::avx512, Target::neon})
    check_seeds<std::int32_t>(target, 1, 12);
}

TEST_CASE("emitted C for integers wraps, and limits have signs") {
  const TemporaryFolder folder;
  const Problem problem = parse_problem("--dt=s32 m1n16k2");
  for (const Target target : {Target::scalar, Target::avx2}) {
    if (!host_has(target)) continue;
    const std::string text =
        emit_c(problem,
               parse_schedule(target == Target::scalar ? "[T(16,j), T(2,k), V(j)]"
                                                       : "[T(2,j), T(2,k), V(j)]"),
               {.target = target, .epilogue = parse_epilogue("clamp=-5:2147483647")})
            .source;
    const CompiledOf<std::int32_t> code(folder, compilers().front(), text);
    RunOf<std::int32_t> run;
    run.input = {std::numeric_limits<std::int32_t>::max(), 3};
    run.weights.assign(32, std::numeric_limits<std::int32_t>::max());
    std::fill(run.weights.begin() + 16, run.weights.end(), 4);
    run.weights[31] = -100;
    run.packed.resize(packed_floats(text));
    run.output.resize(16);
    code.pack(run.weights.data(), run.packed.data());
    code.run(run);
    // The product (2^31 - 1)^2 is 1 modulo 2^32.
    CHECK(run.output[0] == 13);
    CHECK(run.output[15] == -5);
  }
}

TEST_CASE("emitted C for doubles equals the definition, and the assembled kernel bit for bit") {
  check_seeds<double>(Target::scalar, 401, 406);
  check_seeds<double>(Target::avx2, 411, 422);
  check_seeds<double>(Target::avx512, 431, 442);
  check_seeds<double>(Target::neon, 451, 456);
}

namespace {

/// The row strides of A, B and C are 19, 18 and 17, and their rows have 11, 16 and 16 elements.
constexpr const char* kPaddedProduct = "m6n16k11lda19ldb18ldc17";

void check_padded_product(const std::string& schedule, Target target) {
  if (!host_has(target)) return;
  const TemporaryFolder folder;
  const Compiled code(folder, compilers().front(), emitted(kPaddedProduct, schedule, target));
  Random random(7);
  const Computation computation = computation_of(parse_problem(kPaddedProduct));
  const Run run = run_emitted(random, code, computation, parse_schedule(schedule), 11 * 16);
  for (std::size_t at = 0; at < 6 * 17; ++at) {
    const std::size_t i = at / 17, j = at % 17;
    float sum = 0;  // The sum is exact: it is a multiple of 2^-12 below 2^4.
    for (std::size_t k = 0; k < 11; ++k) sum += run.input[i * 19 + k] * run.weights[k * 18 + j];
    const bool is_gap = j == 16;
    CHECK(run.output[at] == (is_gap ? kNever : sum));
  }
}

/// Checks that the C code of the schedule `loops` contains one OpenMP loop and the text `expected`,
/// and that it computes the outputs of the assembled kernel.
void check_on_threads(const std::string& layer, const std::string& loops,
                      const std::string& expected) {
  const std::string text = emitted(layer, loops, Target::avx2);
  CHECK(text.find(expected) != std::string::npos);
  CHECK(text.find("#pragma omp") != std::string::npos);
  CHECK(text.find("#pragma") == text.rfind("#pragma"));
  if (!host_has(Target::avx2)) return;
  const TemporaryFolder folder;
  const Compiled code(folder, "gcc -fopenmp", text);
  Random random(1);
  const Problem problem = parse_problem(layer);
  const Schedule schedule = parse_schedule(loops);
  const Run run = run_emitted(random, code, computation_of(problem), schedule, packed_floats(text));
  check_kernel_equal(problem, schedule, Isa::avx2, run);
}

}  // namespace

TEST_CASE("an emitted product with padded rows writes nothing between them") {
  check_padded_product("[T(4,j), T(3,i), T(11,k), U(2,i), U(4,j), V(j)]", Target::scalar);
  check_padded_product("[T(2,j), T(3,i), T(11,k), U(2,i), V(j)]", Target::avx2);
  check_padded_product("[T(4,j), T(3,i), T(11,k), U(2,i), V(j)]", Target::neon);
  check_padded_product("[T(2,j), T(3,i), T(11,k), U(2,i), V(j)] pack=in@0", Target::avx2);
}

TEST_CASE("an emitted product of transposed and shared matrices equals the assembled kernel") {
  const std::string problem = "b3m6n21k10ta1lda9tb1sa70sb0sc300";
  const Computation computation = computation_of(parse_problem(problem));
  const Epilogue epilogue = parse_epilogue("alpha=-1.5,beta=0.25,bias,relu");
  for (const char* loops : {"[T(3,b), T(2,k), T(3,i), T(5,k), U(2,i), U(3,j), V(j)]",
                            "[T(3,b), T(3,j), T(2,i), T(10,k), U(3,i), V(j)] pack=in@0"}) {
    if (!host_has(Target::avx2)) return;
    const TemporaryFolder folder;
    const Schedule schedule = parse_schedule(loops);
    const std::string text =
        emit_c(parse_problem(problem), schedule,
               {.target = Target::avx2, .name = "tileplan", .epilogue = epilogue})
            .source;
    const Compiled code(folder, compilers().front(), text);
    Random random(1);
    const Run run = run_emitted(random, code, computation, schedule, packed_floats(text), epilogue);
    check_kernel_equal(parse_problem(problem), schedule, Isa::avx2, run);
  }
}

TEST_CASE("a lambda becomes two loops in sequence over real indices") {
  const std::string text =
      emitted("mb1ic4ih1oc8oh1iw17ow17kh1kw1ph0pw0",
              "[L(w,[1*8,3*3]), T(4,c), U(w), V(k)] in=nhwc out=nhwc", Target::avx2);
  CHECK(text.find("for (int64_t w_0 = 0; w_0 < 8; w_0 += 8) {") != std::string::npos);
  CHECK(text.find("for (int64_t w_0 = 8; w_0 < 8 + 9; w_0 += 3) {") != std::string::npos);
}

TEST_CASE(
    "neighbouring P loops are one loop of OpenMP; boxes packed inside it are of each thread") {
  const auto check = [](const std::string& box, const std::string& expected) {
    check_on_threads("mb1ic5ih12oc32oh12kh3ph1",
                     "[T(5,c), P(4,h), P(4,k), P(3,h), R(r), R(s), U(12,w), V(k)] in=nchw out=nhwc"
                     " pack=in@" +
                         box,
                     expected);
  };
  check("3", "for (int64_t task = 0; task < 48; ++task) {");
  check("2",
        "for (int64_t task = 0; task < 16; ++task) {");       // Each of 16 tasks packs a box.
  check("0", "for (int64_t task = 0; task < 48; ++task) {");  // All threads read one packed box.
}

TEST_CASE("a parallel lambda is one loop of OpenMP over the blocks of all parts") {
  check_on_threads("mb1ic5ih12oc40oh12kh3ph1",
                   "[P(h,[2*5,1*2]), T(5,c), P(k,[1*2,1*3]), R(h), R(k), R(r), R(s), U(12,w), "
                   "V(k)] in=nchw out=nhwc",
                   "for (int64_t task = 0; task < 3; ++task) {");
}

TEST_CASE("ahead over a transposed copy of the input is left out, over the input itself it stays") {
  const std::string layer = "g16mb1ic16ih12oc16oh12kh3ph1";
  const std::string loops = "[T(12,h), T(3,r), T(3,s), U(12,w), V(g)] out=nhwc ahead=0 in=";
  const auto emitted_schedule = [&](const std::string& layout) {
    const Schedule schedule = parse_schedule(loops + layout);
    const Problem problem = parse_problem(layer);
    return emit_c(problem, schedule, {.target = Target::avx512}).schedule;
  };
  CHECK(!emitted_schedule("nchw").ahead);
  CHECK(emitted_schedule("nhwc").ahead == 0);
  CHECK(emitted(layer, loops + "nchw", Target::avx512).find("ahead") == std::string::npos);
  CHECK(emitted(layer, loops + "nhwc", Target::avx512).find("ahead=0") != std::string::npos);
}

TEST_CASE("the innermost loop stays in a block of the input, and a line is prefetched before it") {
  const std::string text = emitted("mb1ic32ih8oc64oh8kh1ph0",
                                   "[T(4,k), T(8,h), T(32,c), U(8,w), V(k)] "
                                   "in=nChw16c out=nChw16c ahead=0",
                                   Target::avx512);
  const std::size_t start = text.find("for (int64_t c_2 = c_1; c_2 < c_1 + 8; ++c_2) {");
  REQUIRE(start != std::string::npos);
  const std::string before = text.substr(0, start);
  const std::string loop = text.substr(start, text.find("STORE(", start) - start);
  CHECK(before.find("__builtin_prefetch(ahead") != std::string::npos);
  CHECK(loop.find("__builtin_prefetch") == std::string::npos);
  CHECK(loop.find(" / 16") == std::string::npos);
  CHECK(loop.find("from0 += 1;") != std::string::npos);
}

TEST_CASE("vectors of pixels: each step prefetches those of the next tile, once for all channels") {
  const std::string text = emitted("mb1ic8ih32oc6oh32kh1ph0",
                                   "[T(32,h), T(2,k), T(8,c), U(3,k), U(2,w), V(w)] "
                                   "in=nchw out=nchw ahead=0",
                                   Target::avx512);
  for (const char* const line :
       {"__builtin_prefetch(from0 + 32, 0, 2);", "__builtin_prefetch(from1 + 32, 0, 2);"}) {
    const std::size_t at = text.find(line);
    REQUIRE(at != std::string::npos);
    CHECK(text.find(line, at + 1) == std::string::npos);
  }
}

TEST_CASE("what cannot be emitted is refused with the rule") {
  const std::string layer = "mb1ic4ih8oc8oh8kh1ph0";
  CHECK_THROWS_WITH_AS(parse_target("sse2"),
                       "isa: 'sse2'; must be scalar, avx2, avx512, avx512vl or neon", Error);
  CHECK_THROWS_WITH_AS(emit_c(parse_problem(layer),
                              parse_schedule("[T(8,h), T(8,w), T(4,c), V(k)] in=nhwc out=nhwc"),
                              {.target = Target::avx2, .name = "3x3"}),
                       "emit: name '3x3'; must be a C identifier", Error);
}
