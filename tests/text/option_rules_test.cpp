// SPDX-License-Identifier: Apache-2.0
// This test checks that plan(), plan_of() and compile() refuse wrong options, machines and
// problems, and that regimes are converted to text and back.
#include "option_rules.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "error_of.h"
#include "tileplan/tileplan.h"

using namespace tileplan;

namespace {

const char* const kProblem = "m8n64k8";

/// Returns the error of plan() when `change` is applied to default options, and checks that
/// plan_of() gives an equal error.
std::string complaint(const std::function<void(Options&)>& change) {
  const Machine machine = load_machine("xeon-gold-6130");
  const Problem problem = parse_problem(kProblem);
  static const Schedule schedule = plan(problem, machine).candidates.front().schedule;
  Options options;
  change(options);
  std::string what = error_of([&] { plan(problem, machine, options); });
  CHECK(error_of([&] { plan_of(problem, machine, schedule, options); }) == what);
  return what;
}

}  // namespace

TEST_CASE("options: limits of the epilogue are numbers in order") {
  const std::string rule =
      "; must be two numbers, the first not above the second, with finite numbers between them";
  CHECK(complaint([](Options& o) { o.epilogue = {.low = 3, .high = 1}; }) ==
        "options: epilogue is clamp=3.000000:1.000000" + rule);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(complaint([](Options& o) { o.epilogue.low = o.epilogue.high = kInfinity; }) ==
        "options: epilogue is clamp=inf:inf" + rule);
  Plan plan = plan_gemm(parse_gemm(kProblem), detect_machine());
  plan.options.epilogue.low = std::numeric_limits<double>::quiet_NaN();
  CHECK(error_of([&] { compile(plan); }) == "options: epilogue is clamp=nan:inf" + rule);
}

TEST_CASE("options: alpha and beta are finite, and whole for integers") {
  CHECK(complaint([](Options& o) { o.epilogue.alpha = std::numeric_limits<double>::infinity(); }) ==
        "options: epilogue is alpha=inf; must be of finite numbers that f32 has");
  CHECK(complaint([](Options& o) { o.epilogue.beta = 1e39; }) ==
        "options: epilogue is beta=1e+39; must be of finite numbers that f32 has");
  const auto refused = [](const char* problem, const char* epilogue) {
    return error_of([&] {
      plan(parse_problem(problem), load_machine("xeon-gold-6130"),
           {.epilogue = parse_epilogue(epilogue)});
    });
  };
  CHECK(refused("--dt=u8:s8:s32 m8n16k8", "alpha=2") ==
        "options: epilogue is alpha=2; must be without alpha and with a beta of 0 or 1 where sums "
        "are in s32");
  CHECK(refused("--dt=bf16 m8n16k8", "beta=2") ==
        "options: epilogue is beta=2; must be without beta where sums in f32 become outputs in "
        "bf16");
}

TEST_CASE("options: a variant is of a matrix product, and keeps C in registers") {
  const Machine machine = load_machine("xeon-gold-6130");
  const auto refused = [&](const char* problem, GemmVariant variant) {
    return error_of([&] { plan(parse_problem(problem), machine, {.variant = variant}); });
  };
  CHECK(refused("resnet18-9", GemmVariant::b3a2c0) ==
        "variant: B3A2C0 of resnet18-9; must be given with a matrix product");
  CHECK(refused("m64n64k64", GemmVariant::b3c2a0) ==
        "variant: B3C2A0, but it keeps A in registers, and all microkernels keep C there; must be "
        "B3A2C0 or A3B2C0");
  CHECK(complaint([](Options& o) { o.variant = GemmVariant{77}; }).find("variant is 77") !=
        std::string::npos);
}

TEST_CASE("options: values that no enumeration has are refused") {
  CHECK(complaint([](Options& o) { o.capacity = Capacity{77}; }) ==
        "options: capacity is 77; must be ideal, lru2 or ways");
  CHECK(complaint([](Options& o) { o.layout = LayoutChoice{77}; }) ==
        "options: layout is 77; must be any, nhwc, nchw or blocked");
  CHECK(complaint([](Options& o) { o.weights = WeightsChoice{77}; }) ==
        "options: weights is 77; must be packed or plain");
  CHECK(complaint([](Options& o) { o.regime = Regime{Regime::Kind{77}}; }) ==
        "options: regime is 77; must be hot, cold-weights, all-cold or network");
  CHECK(complaint([](Options& o) { o.regime = Regime::network(0); }) ==
        "options: regime is network:0; must be network with 1 to 2^40 bytes");
}

TEST_CASE("problems: element types that there are not, and sizes changed by hand, are refused") {
  const Machine machine = detect_machine();
  GemmShape shape = parse_gemm(kProblem);
  shape.types = ElementType{77};
  CHECK(error_of([&] { plan(shape, machine); }) ==
        "problem without a name: the element type is 77; must be f32, f64, bf16, f16, u8, s8, s16 "
        "or s32");
  Plan plan = plan_gemm(parse_gemm(kProblem), machine);
  std::get<GemmShape>(plan.problem).lda = 1;
  CHECK(error_of([&] { compile(plan); }) ==
        "problem without a name: lda is 1; must be at least k (8)");
}

TEST_CASE("machines: plan and plan_of refuse what no file may hold") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.caches[0].line_bytes = 0;
  const std::string expected = "machine " + machine.name +
                               ": caches[0].line_bytes is 0; must be a power of two from 8 to 4096";
  CHECK(error_of([&] { plan(parse_problem(kProblem), machine); }) == expected);
  CHECK(error_of([&] { plan_of(parse_problem(kProblem), machine, parse_schedule("[V(j)]")); }) ==
        expected);
}

TEST_CASE("regimes are text, and a network has bytes") {
  CHECK(in_words(parse_regime("network:58086724")) == "58.1 MB of other data between runs");
  for (const char* text : {"hot", "cold-weights", "all-cold", "network:30000000"})
    CHECK(to_string(parse_regime(text)) == text);
  CHECK(parse_regime("network:5") == Regime::network(5));
  for (const char* text : {"warm", "network", "network:", "network:-1", "network:0", "network:3x",
                           "network:99999999999999999999", "network:9999999999999", "hot:5"})
    CHECK_THROWS_AS(parse_regime(text), Error);
}
