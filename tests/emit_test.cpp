// SPDX-License-Identifier: Apache-2.0
// Emitted C, compiled and run, against the definition of a convolution and against the assembled
// kernel.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "elements.h"
#include "emit_c.h"
#include "integers.h"
#include "random_conv.h"
#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "toy_conv.h"

using namespace tileplan;

namespace {

using test::for_each_element;
using test::pick;
using test::pick_divisor;
using test::Random;
using test::random_floats;

Axis random_axis(Random& random) {
  Axis axis{.in = pick(random, 1, 14),
            .filter = pick(random, 1, 4),
            .stride = pick(random, 1, 3),
            .dilation = pick(random, 1, 3),
            .pad_before = pick(random, 0, 3),
            .pad_after = pick(random, 0, 3)};
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  axis.in = std::max(axis.in, window - axis.pad_before - axis.pad_after);
  axis.out = (axis.in + axis.pad_before + axis.pad_after - window) / axis.stride + 1;
  return axis;
}

ConvShape random_shape(Random& random) {
  ConvShape shape;
  shape.n = pick(random, 1, 2);
  test::draw_channels(random, 12, 40, shape);
  shape.height = random_axis(random);
  shape.width = random_axis(random);
  return shape;
}

Specifier specifier(Kind kind, const char* dim, std::int64_t count) {
  return {.kind = kind, .dim = dim, .count = count, .parts = {}};
}

/// Loops over everything above a random register tile, factors in random order; a lambda over the
/// output's width where it is wide enough.
Schedule random_schedule(Random& random, const ConvShape& shape, int lanes) {
  const std::string along = test::vector_dim(shape);
  const std::int64_t vectors = ceil_div(along == "g" ? shape.g : shape.k / shape.g, lanes);
  const std::int64_t u_k = pick_divisor(random, vectors, 3);
  const std::int64_t width = shape.width.out;
  const std::int64_t most = (lanes == 16 ? 30 - u_k : 14 - u_k) / u_k;  // pixels in registers
  const bool lambda = width >= 3 && ceil_div(width, 2) <= most && pick(random, 0, 2) == 0;
  const std::int64_t u_w = pick_divisor(random, width, std::min<std::int64_t>(most, 6));
  const std::int64_t u_h =
      pick_divisor(random, shape.height.out, most / (lambda ? ceil_div(width, 2) : u_w));
  std::vector<Specifier> loops;
  const auto split = [&](const char* dim, std::int64_t extent) {
    while (extent > 1) {
      const std::int64_t factor =
          pick(random, 0, 1) == 0 ? extent : pick_divisor(random, extent, extent);
      if (factor > 1) loops.push_back(specifier(Kind::tile, dim, factor));
      extent /= factor;
    }
  };
  split("n", shape.n);
  split(along.c_str(), vectors / u_k);
  if (along != "g") split("g", shape.g);
  split("c", shape.c / shape.g);
  split("h", shape.height.out / u_h);
  if (!lambda) split("w", width / u_w);
  split("r", shape.height.filter);
  split("s", shape.width.filter);
  if (lambda)
    loops.push_back({.kind = Kind::lambda,
                     .dim = "w",
                     .count = 0,
                     .parts = {{1, width / 2}, {1, ceil_div(width, 2)}}});
  std::shuffle(loops.begin(), loops.end(), random);
  loops.push_back(specifier(Kind::unroll, "h", u_h));
  loops.push_back(specifier(Kind::unroll, "w", lambda ? 0 : u_w));
  loops.push_back(specifier(Kind::unroll, along.c_str(), u_k));
  loops.push_back(specifier(Kind::vector, along.c_str(), 0));
  Schedule schedule;
  schedule.loops = loops;
  schedule.prefetch = static_cast<int>(pick(random, 0, 1)) * 4;
  return schedule;
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

/// Compilers of this machine; the emitted files must be clean with each.
std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang", "clang-14"})
    if (is_installed(name) && found.size() < 2) found.emplace_back(name);
  return found;
}

/// An emitted file as a shared object.
class Compiled {
 public:
  Compiled(const TemporaryFolder& folder, const std::string& compiler, const std::string& text) {
    const std::string source = folder.write("emitted.c", text);
    static int number = 0;  // dlopen knows files by name
    const std::string object = folder / ("emitted" + std::to_string(number++) + ".so");
    REQUIRE(std::system((compiler + " -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC " + source +
                         " -o " + object)
                            .c_str()) == 0);
    library_ = ::dlopen(object.c_str(), RTLD_NOW);
    REQUIRE(library_ != nullptr);
    pack = find<decltype(pack)>("tileplan_pack");
    run = find<decltype(run)>("tileplan_run");
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { ::dlclose(library_); }

  void (*pack)(const float* weights, float* packed) = nullptr;
  void (*run)(const float* input, const float* packed, float* output) = nullptr;

 private:
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(library_, name));
  }
  void* library_ = nullptr;
};

std::size_t packed_floats(const std::string& text) {
  const std::string before = "packed_floats INT64_C(";
  return std::stoul(text.substr(text.find(before) + before.size()));
}

Plan plan_for(const Problem& problem, const Schedule& schedule, Isa isa) {
  Plan plan;
  plan.problem = problem;
  plan.machine.vector.isa = isa;
  plan.machine.vector.lanes = isa == Isa::avx512 ? 16 : 8;
  plan.machine.vector.registers = isa == Isa::avx512 ? 32 : 16;
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  return plan;
}

/// Buffers of one run. Outputs start as a number that no kernel computes.
struct Run {
  std::vector<float> input, weights, packed, output;
};

Run run_emitted(Random& random, const Compiled& code, const Computation& computation,
                const Schedule& schedule, std::size_t packed) {
  const auto size = [&](Operand operand, Layout layout) {
    return static_cast<std::size_t>(layout_of(computation, operand, layout).elements);
  };
  Run run{.input = random_floats(random, size(Operand::input, schedule.in)),
          .weights = random_floats(random, size(Operand::weights, Layout::plain)),
          .packed = std::vector<float>(packed, -777.0F),
          .output = std::vector<float>(size(Operand::output, schedule.out), -777.0F)};
  code.pack(run.weights.data(), run.packed.data());
  code.run(run.input.data(), run.packed.data(), run.output.data());
  return run;
}

/// Largest error against the definition, relative to the tolerance of the project.
double error_of(const ConvShape& shape, const Computation& computation, const Schedule& schedule,
                const Run& run) {
  const std::int64_t cg = shape.c / shape.g, kg = shape.k / shape.g;
  std::vector<float> plain(
      static_cast<std::size_t>(shape.n * shape.c * shape.height.in * shape.width.in));
  for_each_element({shape.n, shape.g, cg, shape.height.in, shape.width.in},
                   layout_of(computation, Operand::input, schedule.in),
                   [&](std::size_t to, std::size_t at) { plain[to] = run.input[at]; });
  const std::vector<double> expected = test::plain_conv(shape, plain, run.weights);
  double largest = 0, magnitude = 1e-30;
  for_each_element(
      {shape.n, shape.g, kg, shape.height.out, shape.width.out},
      layout_of(computation, Operand::output, schedule.out), [&](std::size_t from, std::size_t at) {
        largest = std::max(largest, test::element_error(run.output[at], expected[from]));
        magnitude = std::max(magnitude, std::abs(expected[from]));
      });
  const double reduction = static_cast<double>(cg * shape.height.filter * shape.width.filter);
  return largest / (4 * 1.2e-7 * std::sqrt(reduction) * magnitude);
}

bool equal_bits(const float* a, const std::vector<float>& b) {
  return std::memcmp(a, b.data(), b.size() * sizeof(float)) == 0;
}

/// Packed weights and results of the assembled kernel, bit for bit.
void check_kernel_equal(const ConvShape& shape, const Schedule& schedule, Isa isa, const Run& run) {
  const Kernel kernel = compile(plan_for(shape, schedule, isa));
  const Packed packed = kernel.pack_weights(run.weights);
  std::vector<float> output(run.output.size(), -777.0F);
  kernel.run(run.input, packed, output);
  CHECK(packed.size() == run.packed.size());
  CHECK(equal_bits(packed.data(), run.packed));
  CHECK(equal_bits(output.data(), run.output));
}

bool host_has(Target target) {
  if (target == Target::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return target != Target::avx512 || __builtin_cpu_supports("avx512f") != 0;
}

/// Vectors of four run on every host: the NEON form is C without any instruction of its own.
void check_random(const TemporaryFolder& folder, Target target, unsigned seed) {
  if (!host_has(target)) return;
  Random random(seed);
  const int lanes = lanes_of(target);
  const ConvShape shape = random_shape(random);
  Schedule schedule = random_schedule(random, shape, lanes);
  const Layout layouts[] = {Layout::nhwc, Layout::nchw,
                            lanes == 16 ? Layout::nChw16c : Layout::nChw8c};
  schedule.in = layouts[pick(random, 0, 2)];
  schedule.out = layouts[pick(random, 0, 2)];
  schedule.pack_input = test::random_box(random, schedule);
  CAPTURE(seed);
  CAPTURE(to_string(target));
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  const Computation computation = computation_of(shape);
  const std::vector<std::string> all = compilers();
  REQUIRE(!all.empty());
  std::string text;
  try {
    text = emit_c(computation, schedule, {.target = target, .name = "tileplan"});
  } catch (const Error& error) {
    // Layouts that this shape does not have.
    CHECK(std::string(error.what()).find("nChw") != std::string::npos);
    return;
  }
  const Compiled code(folder, all[seed % all.size()], text);
  const Run run = run_emitted(random, code, computation, schedule, packed_floats(text));
  CHECK(error_of(shape, computation, schedule, run) <= 1.0);
  if (target != Target::avx2 && target != Target::avx512) return;
  try {
    check_kernel_equal(shape, schedule, target == Target::avx2 ? Isa::avx2 : Isa::avx512, run);
  } catch (const Error& error) {
    // The assembler refuses loops over parts of blocks, and more layouts.
    CHECK(std::string(error.what()).find("block") != std::string::npos);
  }
}

void check_seeds(Target target, unsigned first, unsigned last) {
  const TemporaryFolder folder;
  for (unsigned seed = first; seed <= last; ++seed) check_random(folder, target, seed);
}

/// Assembly that `command` (a compiler with flags) makes of `text`.
std::string assembly_of(const TemporaryFolder& folder, std::string command,
                        const std::string& text) {
  command.append(" -std=c11 -O2 -S ").append(folder.write("tile.c", text));
  command.append(" -o ").append(folder / "tile.s");
  REQUIRE(std::system(command.c_str()) == 0);
  return content_of(folder / "tile.s");
}

std::string emitted(const std::string& problem, const std::string& schedule, Target target) {
  return emit_c(computation_of(parse_problem(problem)), parse_schedule(schedule),
                {.target = target, .name = "tileplan"});
}

}  // namespace

TEST_CASE("emitted scalar C equals the definition of a convolution") {
  check_seeds(Target::scalar, 1, 24);
}

TEST_CASE("emitted AVX2 C equals the definition, and the assembled kernel bit for bit") {
  check_seeds(Target::avx2, 101, 140);
}

TEST_CASE("emitted AVX-512 C equals the definition, and the assembled kernel bit for bit") {
  check_seeds(Target::avx512, 201, 240);
}

TEST_CASE("emitted C for vectors of four equals the definition") {
  check_seeds(Target::neon, 301, 324);
}

namespace {

/// Row strides 19, 18 and 17 for extents 11, 16 and 16.
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
    float sum = 0;  // exact: multiples of 2^-12 below 2^4
    for (std::size_t k = 0; k < 11; ++k) sum += run.input[i * 19 + k] * run.weights[k * 18 + j];
    const bool is_gap = j == 16;
    CHECK(run.output[at] == (is_gap ? -777.0F : sum));
  }
}

}  // namespace

TEST_CASE("an emitted product with padded rows writes nothing between them") {
  check_padded_product("[T(4,j), T(3,i), T(11,k), U(2,i), U(4,j), V(j)]", Target::scalar);
  check_padded_product("[T(2,j), T(3,i), T(11,k), U(2,i), V(j)]", Target::avx2);
  check_padded_product("[T(4,j), T(3,i), T(11,k), U(2,i), V(j)]", Target::neon);
  check_padded_product("[T(2,j), T(3,i), T(11,k), U(2,i), V(j)] pack=in@0", Target::avx2);
}

TEST_CASE("a lambda becomes two loops in sequence over real indices") {
  const std::string text =
      emitted("mb1ic4ih1oc8oh1iw17ow17kh1kw1ph0pw0",
              "[L(w,[1*8,3*3]), T(4,c), U(w), V(k)] in=nhwc out=nhwc", Target::avx2);
  CHECK(text.find("for (int64_t w_0 = 0; w_0 < 8; w_0 += 8) {") != std::string::npos);
  CHECK(text.find("for (int64_t w_0 = 8; w_0 < 8 + 9; w_0 += 3) {") != std::string::npos);
}

TEST_CASE("AVX-512 keeps each broadcast in a register, and uses it in whole-register FMAs") {
  const TemporaryFolder folder;
  const std::string text = emitted("mb1ic64ih14oc32oh14kh3ph1",
                                   "[T(14,h), T(3,r), T(3,s), T(64,c), U(14,w), U(2,k), V(k)] "
                                   "in=nhwc out=nhwc",
                                   Target::avx512);
  for (const std::string& compiler : compilers()) {
    CAPTURE(compiler);
    const std::string assembly = assembly_of(folder, compiler, text);
    CHECK(assembly.find("vfmadd") != std::string::npos);
    CHECK(assembly.find("{1to16}") == std::string::npos);
  }
}

TEST_CASE("NEON C compiles to fused multiply-adds for AArch64") {
  const TemporaryFolder folder;
  const std::string text =
      emitted("mb1ic64ih14oc32oh14kh3ph1",
              "[T(4,k), T(14,h), T(2,w), T(3,r), T(3,s), T(64,c), U(7,w), U(2,k), V(k)] "
              "in=nhwc out=nhwc",
              Target::neon);
  for (const std::string& compiler : compilers())
    if (compiler.find("clang") != std::string::npos)
      CHECK(assembly_of(folder, compiler + " --target=aarch64-linux-gnu -ffreestanding", text)
                .find("fmla") != std::string::npos);
}

TEST_CASE("what cannot be emitted is refused with the rule") {
  const std::string layer = "mb1ic4ih8oc8oh8kh1ph0";
  CHECK_THROWS_WITH_AS(parse_target("sse2"), "isa: 'sse2'; must be scalar, avx2, avx512 or neon",
                       Error);
  CHECK_THROWS_WITH_AS(emit_c(computation_of(parse_problem(layer)),
                              parse_schedule("[T(8,h), T(8,w), T(4,c), V(k)] in=nhwc out=nhwc"),
                              {.target = Target::avx2, .name = "3x3"}),
                       "emit: name '3x3'; must be a C identifier", Error);
}
