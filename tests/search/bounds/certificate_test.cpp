// SPDX-License-Identifier: Apache-2.0
// This test checks that certified bounds are at most the optimum, and the optimum at most every
// prediction. It also checks the roofline and the geometric programs.
#include "certificate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "close_to.h"
#include "computation.h"
#include "cost.h"
#include "movement.h"
#include "prediction_bound.h"
#include "programs.h"
#include "random_sample.h"
#include "small_machine.h"
#include "strips.h"
#include "tileplan/plan.h"
#include "tileplan/problem.h"

namespace tileplan {
namespace {

const std::vector<std::string> kProblems = {
    "mb1ic64ih28oc64oh28kh3ph1",    "mb1ic3ih56oc32oh28kh7sh2ph3",  "mb1ic128ih14oc64oh14kh1ph0",
    "g32mb1ic32ih28oc32oh28kh3ph1", "mb2ic32ih20oc48oh20kh3ph2dh1", "m200n96k300",
    "mb1ic64ih3oc256oh1kh3ph1dh1"};  // In the last layer, some taps read padding only.

/// Returns a machine whose caches are so small that each link has traffic for kProblems in f32.
Machine tight_machine() {
  Machine machine = toy::machine_of({{2048, 1.6e10}, {16384, 8e9}}, 16);
  machine.vector.registers = 32;
  machine.vector.dots = {.integers = true, .bf16 = true};
  machine.caches[0].write_bytes_per_second = 9e9;
  machine.caches[1].write_bytes_per_second = 4e9;
  machine.caches[1].shared_by_cores = 2;
  return machine;
}

Certificate certificate_of(const std::string& problem, bool full) {
  return plan(parse_problem(problem), tight_machine(), {.certify_full = full}).certificate;
}

/// Predicts 200 random schedules of a problem. No prediction may be below the bound.
void check_random_schedules(const std::string& text, std::mt19937& random) {
  // Both sides add the same terms in different orders, so they may differ by rounding.
  constexpr double kRounded = 1 - 1e-12;
  CAPTURE(text);
  const Problem problem = parse_problem(text);
  const Machine machine = machine_for(tight_machine(), types_of(problem));
  const Computation computation =
      in_strips(computation_of(problem), loop_types(types_of(problem), machine.vector));
  const OrderClasses classes = order_classes(computation);
  PredictionBound bound = prediction_bound(computation, machine, 1);
  Programs programs(computation, classes, machine, CapacityRule::lru2);
  for (const double least : bound.level_seconds) CHECK(least >= 0);
  bound.sharpen(programs.level_seconds());
  const std::vector<KernelCombo> combos = kernel_combos(computation, machine, 40);
  for (int i = 0; i < 200; ++i) {
    Schedule schedule = random_schedule(computation, combos, machine.vector.lanes, random);
    const bool conv = std::holds_alternative<ConvShape>(problem);
    schedule.in = schedule.out = conv ? Layout::nhwc : Layout::plain;
    const Prediction prediction = predict(computation, schedule, machine);
    CAPTURE(to_string(schedule));
    CHECK(prediction.seconds >= kRounded * bound.seconds(machine.rates.overlap_exponent));
    CHECK(prediction.compute_seconds >= bound.compute_seconds);
    for (std::size_t l = 0; l < bound.level_seconds.size(); ++l)
      CHECK(prediction.levels[l].seconds >= kRounded * bound.level_seconds[l]);
  }
}

}  // namespace

TEST_CASE("certificate: where 17 blocks of columns fit nowhere, 9 and 8 are the fastest tiles") {
  // With beta = 1, sums are added to old outputs. Such outputs never bypass the caches, so the
  // caches must hold them.
  Machine machine = tight_machine();
  machine.caches.push_back(machine.caches.back());  // The additional third cache holds all tensors.
  machine.caches[1].shared_by_cores = 1;
  machine.caches[2].name = "L3";
  machine.caches[2].capacity_bytes = 1 << 24;
  const Plan found =
      plan(parse_problem("m221n272k64"), machine, {.top = 60, .epilogue = {.beta = 1}});
  // This is the fastest schedule that does not have two tile sizes along both i and j.
  std::string fastest;
  double seconds = HUGE_VAL;
  for (const Candidate& each : found.candidates) {
    const std::string text = to_string(each.schedule);
    if (text.find("U(i), U(j)") != std::string::npos || each.prediction.seconds >= seconds)
      continue;
    fastest = text;
    seconds = each.prediction.seconds;
  }
  CAPTURE(fastest);
  CAPTURE(found.certificate.space);
  CHECK(fastest.find("L(j,[1*9,1*8])") != std::string::npos);
  // The fastest register tile, 14 rows by 2 vectors, divides neither 221 rows nor 17 vectors, so
  // two tile sizes along both dimensions are fastest.
  CHECK(to_string(found.candidates.front().schedule).find("U(i), U(j)") != std::string::npos);
  CHECK(found.candidates.front().prediction.seconds < seconds);
  CHECK(found.certificate.space.find(
            "for the best 2 of these also 322 uneven tiles, the best of these proven") !=
        std::string::npos);
  const Plan even = plan(parse_problem("m256n256k64"), tight_machine(), {.top = 1});
  CHECK(even.certificate.space.find("uneven") == std::string::npos);
}

TEST_CASE("certificate: it holds on any number of threads, and more are not predicted slower") {
  Machine machine = tight_machine();
  machine.cores = machine.caches[1].shared_by_cores = 24;
  for (const char* problem : {"m1n1000k1000", "m17n100k100", "m61n976k61", "m1n1000k2048",
                              "g32mb1ic32ih112oc32oh112kh3ph1", "mb1ic64ih8oc64oh8kh3ph1"}) {
    double fewer = HUGE_VAL;
    for (const int threads : {2, 3, 4, 7, 8, 16, 24}) {
      CAPTURE(problem);
      CAPTURE(threads);
      const Certificate found =
          plan(parse_problem(problem), machine, {.threads = threads}).certificate;
      CHECK(found.gap >= 0);
      CHECK(found.optimum <= 1.02 * fewer);
      fewer = found.optimum;
    }
  }
}

TEST_CASE(
    "certificate: it holds where caches of cores hold more together than the one they share") {
  Machine machine = tight_machine();
  machine.cores = machine.caches[1].shared_by_cores = 64;
  for (const char* problem : {"m512n512k512", "mb1ic1024ih14oc256kh1", "resnet18-9"}) {
    CAPTURE(problem);
    CHECK(plan(parse_problem(problem), machine, {.threads = 64}).certificate.gap >= 0);
  }
}

TEST_CASE(
    "certificate: no candidate is predicted below the optimum, nor the optimum below the bound") {
  for (const std::string& problem : kProblems)
    for (const bool full : {false, true}) {
      CAPTURE(problem);
      CAPTURE(full);
      const Plan found =
          plan(parse_problem(problem), tight_machine(), {.top = 50, .certify_full = full});
      const Certificate& certificate = found.certificate;
      CHECK(certificate.bound > 0);
      CHECK(certificate.bound <= certificate.optimum);
      CHECK(certificate.gap ==
            close_to((certificate.optimum - certificate.bound) / certificate.optimum));
      for (const Candidate& each : found.candidates)
        CHECK(certificate.optimum <= each.prediction.seconds);
      CHECK(certificate.per_level.bound > 0);
      CHECK(certificate.per_level.bound <= certificate.per_level.optimum);
    }
}

TEST_CASE("certificate: the bottleneck is that of the fastest, whatever is ranked first") {
  const Computation computation = computation_of(parse_problem(kProblems.front()));
  const OrderClasses classes = order_classes(computation);
  const Machine machine = tight_machine();
  std::vector<Candidate> scored(2);
  scored[0].prediction = {.seconds = 1.01, .bottleneck = "L2"};
  scored[1].prediction = {.seconds = 1, .bottleneck = "compute"};
  const Certificate certificate =
      certify({computation, classes, machine, Options{}, SearchRecord{}, {}, scored});
  CHECK(certificate.optimum == 1);
  CHECK(certificate.bottleneck == "compute");
}

TEST_CASE("certificate: no plan is predicted below the bound where memory comes in bursts") {
  Machine machine = toy::machine_of({{8192, 5e10}, {262144, 2e10}}, 16);
  machine.vector.registers = 32;
  machine.clock.hertz = 3e9;
  for (const double exponent : {2.0, 16.0})
    for (const char* problem : {"g64mb1ic64ih112oc64oh56kh3sh2ph1", "mb1ic3ih136oc32oh136kh3ph1"}) {
      CAPTURE(problem);
      CAPTURE(exponent);
      machine.rates.overlap_exponent = exponent;
      const Certificate found = plan(parse_problem(problem), machine).certificate;
      CHECK(found.bound <= found.optimum);
    }
}

TEST_CASE("certificate: non-temporal stores that nobody searches are not below the bound") {
  const Problem problem = parse_problem("m14n8192k128");
  const Machine machine = load_machine("xeon-gold-6130");
  const Schedule streamed =
      parse_schedule("[T(256,j), T(128,k), U(14,i), U(2,j), V(j)] prefetch=8 ahead=0 nt");
  const double seconds = plan_of(problem, machine, streamed).candidates.front().prediction.seconds;
  CHECK(plan(problem, machine).certificate.bound <= seconds);
}

TEST_CASE("certificate: a full one is as sharp or sharper") {
  for (const std::string& problem : kProblems)
    CHECK(certificate_of(problem, true).bound >= certificate_of(problem, false).bound);
}

TEST_CASE("certificate: no random schedule is predicted below the bound") {
  constexpr unsigned kSeed = 20261121;
  CAPTURE(kSeed);
  std::mt19937 random(kSeed);
  for (const std::string& problem : kProblems) check_random_schedules(problem, random);
}

TEST_CASE("certificate: nor is one of other types, whose outputs may be converted in registers") {
  constexpr unsigned kSeed = 20261124;
  CAPTURE(kSeed);
  std::mt19937 random(kSeed);
  // With u8:s8:u8, the second cache holds all tensors of the additional problem.
  std::vector<std::string> problems = kProblems;
  problems.emplace_back("g32mb1ic32ih14oc32oh14kh3ph1");
  for (const char* types : {"u8:s8:u8", "u8:s8:s32", "s16", "bf16", "f16:f16:f32"})
    for (const std::string& problem : problems)
      check_random_schedules(std::string("--dt=") + types + " " + problem, random);
}

TEST_CASE("roofline: multiply-adds on the array at peak, or the slowest level's least traffic") {
  Machine machine = toy::machine_of({{8192, 5e10}, {262144, 2e10}}, 16);
  machine.clock.hertz = 1e9;
  const double peak = peak_flops(machine);
  // There are (3*14)^2 pairs of a tap and an output, and (3*14 - 2)^2 of them read no padding.
  const Computation padded = computation_of(parse_problem("mb1ic32ih14oc32oh14kh3ph1"));
  CHECK(roofline_seconds(padded, machine, 1) == close_to(2.0 * 32 * 32 * 40 * 40 / peak));
  CHECK(roofline_seconds(padded, machine, 2) == close_to(1.0 * 32 * 32 * 40 * 40 / peak));
  // This 1x1 layer does little work on two tensors of 4 MiB each, which are larger than both
  // caches. One tensor is loaded once, and the other is streamed to memory.
  machine.caches.back().fill_bytes_per_second = 1e8;
  machine.caches.back().write_bytes_per_second = 1e8;
  const Computation large = computation_of(parse_problem("mb1ic16ih256oc16oh256kh1"));
  CHECK(roofline_seconds(large, machine, 1) >= 8 * 1024 * 1024 / 1e8);
  CHECK(roofline_seconds(large, machine, 1) <= 1.01 * 8 * 1024 * 1024 / 1e8);
}

TEST_CASE("programs: the optimum over real sizes is not above the exact one over divisors") {
  std::int64_t solved = 0, unsolved = 0;
  toy::for_trials(6, 20, [&](int, toy::Random& random) {
    const Computation conv = toy::conv({.k = 8 * toy::uniform(random, 1, 4),
                                        .c = toy::uniform(random, 2, 12),
                                        .h = toy::uniform(random, 3, 12),
                                        .w = toy::uniform(random, 3, 12),
                                        .r = toy::uniform(random, 1, 4),
                                        .s = toy::uniform(random, 1, 4),
                                        .stride = toy::uniform(random, 1, 2)});
    const OrderClasses classes = order_classes(conv);
    const Machine machine = toy::small_machine(conv, 2, random);
    const KernelCombo combo = toy::kernel(conv, {{"k", 1}});
    ExactOptions options;
    options.with_compute = false;
    const ExactResult exact = exact_search(conv, combo, classes, machine, options);
    if (exact.best.empty()) return;
    Programs programs(conv, classes, machine, CapacityRule::lru2);
    const double optimum = exact.best.front().seconds;
    const PerLevelProof proof = programs.least({combo}, optimum);
    CHECK(proof.bound <= optimum);
    CHECK(proof.bound > 0);
    solved += proof.solved;
    unsolved += proof.unsolved;
  });
  CHECK(unsolved <= solved / 20);
}

TEST_CASE("programs: both starts agree on random programs with given filter sizes") {
  toy::for_trials(7, 50, [&](int, toy::Random& random) {
    const Computation conv = toy::conv({.k = 16 * toy::uniform(random, 1, 16),
                                        .c = toy::uniform(random, 8, 256),
                                        .h = toy::uniform(random, 7, 112),
                                        .w = toy::uniform(random, 7, 112),
                                        .r = 3,
                                        .s = 3,
                                        .stride = toy::uniform(random, 1, 2)});
    const OrderClasses classes = order_classes(conv);
    RelaxProblem problem;
    for (int d = 0; d < conv.dims(); ++d) problem.base[Dim{d}] = 1;
    problem.levels = {{8192, 16}, {262144, 8}};
    problem.form = WindowForm::below;
    double inner = 1;
    for (std::size_t l = 0; l < 2; ++l) {
      problem.orders.push_back(
          classes.classes[static_cast<std::size_t>(toy::uniform(random, 0, 7))].order);
      const double size = l == 0 ? 1 + 2 * static_cast<double>(toy::uniform(random, 0, 1)) : 3;
      inner = std::max(inner, size);
      PerDim<Span>& spans = problem.spans.emplace_back();
      spans[toy::dim(conv, "r")] = spans[toy::dim(conv, "s")] = {inner, inner};
    }
    problem.start = RelaxStart::base;
    const Relaxed low = relax(conv, problem);
    problem.start = RelaxStart::capacity;
    const Relaxed high = relax(conv, problem);
    CHECK_MESSAGE(low.solved, low.why);
    CHECK_MESSAGE(high.solved, high.why);
    CHECK(low.seconds == close_to(high.seconds).epsilon(1e-6));
  });
}

TEST_CASE("programs: no tile with room, ragged or not, moves less than the single-level bound") {
  constexpr std::uint64_t kSeed = 8;
  CAPTURE(kSeed);
  toy::Random random(kSeed);
  const Computation conv =
      toy::conv({.k = 24, .c = 10, .h = 14, .w = 11, .r = 3, .s = 3, .dilation = 2});
  const OrderClasses classes = order_classes(conv);
  const Machine machine = toy::machine_of({{600, 1}}, 1);
  Programs programs(conv, classes, machine, CapacityRule::lru2);
  const double bound = programs.level_seconds().front();
  REQUIRE(bound > 0);
  double least = 1e30;
  for (int i = 0; i < 20000; ++i) {
    Tile tile;
    for (int d = 0; d < conv.dims(); ++d)
      tile[Dim{d}] = toy::uniform(random, 1, conv.extent(Dim{d}));
    if (required(conv, tile, std::nullopt, CapacityRule::ideal) > 600) continue;
    for (const OrderClass& order_class : classes.classes)
      least = std::min(least, static_cast<double>(weighted(
                                  conv, volumes(conv, order_class.order, tile, toy::whole(conv)))));
  }
  CHECK(bound <= least);
  CHECK(bound > 0.3 * least);
}

}  // namespace tileplan
