// SPDX-License-Identifier: Apache-2.0
// This test checks the texts of plans and explanations for terminals, with and without colours, and
// for pipes. It also checks bytes and cycles in the results of explain().
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

#include "tileplan/explain.h"
#include "tileplan/text.h"

using namespace tileplan;

namespace {

constexpr const char* kEscape = "\x1b[";
constexpr const char* kTies = "are ties, because their predictions are within 3 %";

/// Returns a plan with one candidate for each predicted time, in microseconds.
Plan plan_with(const std::vector<double>& microseconds) {
  Plan result = plan(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"), {.top = 1});
  const Candidate best = result.candidates.front();
  result.candidates.assign(microseconds.size(), best);
  for (std::size_t i = 0; i < microseconds.size(); ++i)
    result.candidates[i].prediction.seconds = 1e-6 * microseconds[i];
  result.certificate.optimum = 1e-6 * microseconds.front();
  return result;
}

std::string without_colours(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9]*m"), "");
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("plan text: no line is longer than the terminal, and nothing is lost") {
  const Plan found = plan(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"), {.top = 5});
  const std::string text = to_text(found, {.width = 80});
  CHECK(longest_line(text) <= 80);
  CHECK(longest_line(to_text(found)) > 80);
  const std::string on_one_line = std::regex_replace(text, std::regex("\\s+"), " ");
  for (const Candidate& each : found.candidates) CHECK(has(on_one_line, to_string(each.schedule)));
  CHECK(has(on_one_line, "space: " + found.certificate.space));
  CHECK(text.find("rank") < text.find("space: "));
}

TEST_CASE("plan text: a verdict is about the candidates that were measured") {
  Plan found = plan_with({100, 101, 102, 103});
  found.options.verify = 3;
  found.verdict = Verdict::decided;
  const auto measure_first = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      found.candidates[i].measurement = Measurement{.median_seconds = 1e-4};
  };
  measure_first(1);
  CHECK(has(to_text(found), "for a quiet core): no other was measured\n"));
  measure_first(2);
  CHECK(has(to_text(found), "the first is faster than the other one measured (95 % confidence)\n"));
  measure_first(3);
  CHECK(has(to_text(found), "the first is faster than the other 2 measured (95 % confidence)\n"));
  found.verdict = Verdict::tied;
  CHECK(has(to_text(found),
            "the first is at most 1 % slower than the other 2 measured (95 % confidence)\n"));
}

TEST_CASE("plan text: measured times below the bound are explained") {
  constexpr const char* kBelow =
      "measured times are up to 20.0 % below this bound, which is one on ";
  Plan found = plan_with({100, 101});
  found.certificate.bound = 90e-6;
  const auto text_at = [&](double seconds) {
    found.candidates.back().measurement = Measurement{.median_seconds = seconds};
    return to_text(found);
  };
  CHECK_FALSE(has(text_at(90e-6), "below this bound"));
  CHECK(has(text_at(72e-6), kBelow));
  CHECK(has(text_at(72e-6), "estimated rates of this machine, and `tileplan calibrate` measures"));
  found.machine.provenance.calibrated = "2026-11-27";
  CHECK(has(text_at(72e-6), kBelow));
  CHECK(has(text_at(72e-6), "this machine was faster than in its calibration, and `tileplan "));
  found.certificate.bound = 0;
  CHECK_FALSE(has(text_at(72e-6), "below this bound"));
}

TEST_CASE("plan text: colours are asked for; the first rank is bold, what computing limits green") {
  const Plan found = plan_with({100, 200});
  CHECK_FALSE(has(to_text(found), kEscape));
  CHECK_FALSE(has(to_text(found, {.width = 80}), kEscape));
  const std::string coloured = to_text(found, {.width = 80, .colour = true});
  CHECK(has(coloured, "\x1b[1m"));
  const bool computes = found.candidates.front().prediction.bottleneck == "compute";
  CHECK(has(coloured, computes ? "\x1b[32mcompute" : "\x1b[33m"));
  CHECK(coloured.find("\x1b[1m") == coloured.rfind("\x1b[1m"));
  CHECK(without_colours(coloured) == to_text(found, {.width = 80}));
}

TEST_CASE("plan text: candidates within 3 % of the first are ties") {
  CHECK(has(to_text(plan_with({100, 102.9, 103.1})), std::string("ranks 1 to 2 ") + kTies));
  CHECK(has(to_text(plan_with({100, 102.9, 103.1})),
            "--verify 2, on the machine itself, would measure which is fastest"));
  CHECK_FALSE(has(to_text(plan_with({100, 103.1})), kTies));
  CHECK_FALSE(has(to_text(plan_with({100})), kTies));
  Plan measured = plan_with({100, 101});
  measured.candidates.front().measurement = Measurement{.median_seconds = 1e-4};
  CHECK_FALSE(has(to_text(measured), kTies));
}

TEST_CASE("plan text: what was not measured is a dash") {
  Plan found = plan_with({100});
  CHECK(std::regex_search(to_text(found), std::regex("100\\.0 us +- ")));
  CHECK_FALSE(has(to_text(found), "0.000"));
  found.candidates.front().measurement = Measurement{.median_seconds = 2e-4};
  CHECK(has(to_text(found), "200.0 us"));
}

TEST_CASE("plan text: shares above 100 % are explained by padding, and by a peak that is assumed") {
  Plan found = plan_with({1000});
  const double peak_seconds = found.flops / peak_flops(found.machine);
  const std::string padding = "peak above 100 %: padding counts as work, and kernels skip it\n";
  found.candidates.front().prediction.seconds = 1.01 * peak_seconds;
  CHECK_FALSE(has(to_text(found), "above 100 %"));
  found.candidates.front().prediction.seconds = 0.99 * peak_seconds;
  CHECK(has(to_text(found), padding));
  CHECK_FALSE(has(to_text(found), "is assumed"));
  found.candidates.front().measurement = Measurement{.median_seconds = 0.9 * peak_seconds};
  found.machine.provenance.calibrated = "";
  CHECK(has(to_text(found), " Gflop/s is assumed; `tileplan calibrate` measures that"));
  found.machine.provenance.calibrated = "2026-11-24";
  CHECK_FALSE(has(to_text(found), "is assumed"));
  CHECK(has(above_peak_text(parse_problem("m8n8k8")), "the clock was faster"));
  // AMX tiles multiply padding too, so the text also names a faster clock as a possible reason.
  const std::string padded = above_peak_text(parse_problem("--dt=u8:s8:s32 resnet18-9"));
  CHECK(has(padded, "padding counts as work, which most kernels skip, or the clock was faster"));
}

TEST_CASE("plan text: a share of peak counts with the clock beside the measurement") {
  Plan found = plan_with({1000});
  const double peak = peak_flops(found.machine);
  Measurement measured{.median_seconds = found.flops / peak};
  found.candidates.front().measurement = measured;
  CHECK(has(to_text(found), " 100.0%"));
  // During the measurement, the core was faster by a quarter than during calibration.
  measured.peak_flops = 1.25 * peak;
  found.candidates.front().measurement = measured;
  CHECK(has(to_text(found), " 80.0%"));
}

TEST_CASE("plan text: times from records count with the clock of the calibration, and say so") {
  Plan found = plan_with({1000});
  found.candidates.front().measurement =
      Measurement{.median_seconds = found.flops / peak_flops(found.machine), .taken = "2026-11-24"};
  CHECK(has(to_text(found), " 100.0%"));
  CHECK(has(to_text(found),
            "1 time came from the records, so that shares of peak count with the "
            "clock of the machine's calibration (--no-records measures again)"));
}

TEST_CASE("plan text: the peak of doubles is half of that which the sentinels measure") {
  Plan found = plan_with({1000});
  const double peak = peak_flops(found.machine);
  found.machine = machine_for(found.machine, TensorTypes(ElementType::f64));
  found.candidates.front().measurement =
      Measurement{.median_seconds = 2 * found.flops / peak, .peak_flops = peak};
  CHECK(has(to_text(found), " 100.0%"));
}

TEST_CASE("plan text: of many algorithms, the chosen one, the best two and direct have a line") {
  Plan found = plan(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"),
                    {.top = 1, .algorithm = Algorithm::any});
  const auto lines_of = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const std::string few = algorithms_text(found);
  CHECK(lines_of(few) <= 6);
  CHECK(has(few, "\ndirect: best prediction "));
  CHECK(has(few, ", chosen: best prediction "));
  CHECK(has(few, "--certify full lists them"));
  CHECK(has(to_text(found), "direct, per-level model: "));
  CHECK(has(to_text(found), "a better schedule or a higher bound may exist"));
  found.options.certify_full = true;
  CHECK(lines_of(algorithms_text(found)) > 15);
  CHECK(algorithms_text(plan_with({1000})).empty());
}

TEST_CASE("plan text: a plan without a bound says that nothing was proven") {
  const Machine machine = load_machine("xeon-gold-6130");
  const Problem product = parse_problem("m96n64k64");
  const Schedule given = parse_schedule("[T(12,i), T(4,j), T(64,k), U(8,i), V(j)]");
  for (const Plan& each : {plan_of(product, machine, given),
                           plan(product, machine, {.variant = GemmVariant::b3a2c0})}) {
    const std::string text = to_text(each);
    CHECK(has(text, "no certificate: the best prediction is "));
    CHECK(has(text, "nothing was proven about schedules that were not tried\n"));
    CHECK_FALSE(has(text, "predicted below"));
    CHECK_FALSE(has(text, "per-level model"));
  }
  CHECK_FALSE(has(to_text(plan(product, machine)), "no certificate"));
}

TEST_CASE("explain text: a schedule that is no variant has blocks as if it were B3A2C0") {
  const auto text_of = [](const char* schedule) {
    return to_text(explain(parse_problem("m96n64k64"), load_machine("xeon-gold-6130"),
                           parse_schedule(schedule)));
  };
  const std::string note = "the table shows its blocks as if it were B3A2C0";
  CHECK(has(text_of("[T(4,j), T(2,k), T(4,i), T(2,k), T(3,i), T(16,k), U(8,i), V(j)]"), note));
  CHECK_FALSE(has(text_of("[T(12,i), T(4,j), T(64,k), U(8,i), V(j)]"), note));
}

TEST_CASE("explain text: a table compares the bytes of each level with their lower bound") {
  const Explanation explanation =
      explain(parse_problem("m64n64k32"), load_machine("xeon-gold-6130"),
              parse_schedule("[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]"));
  const std::string text = to_text(explanation);
  CHECK(has(text, "level  moved, bytes  lower bound, bytes  distance  link, bytes  link, time\n"));
  // All matrices fit into L2. C is loaded and stored once.
  const std::string once = std::to_string(4 * (64 * 32 + 32 * 64 + 2 * 64 * 64));
  CHECK(std::regex_search(text, std::regex("L2 +" + once + " +" + once + " +1\\.00 ")));
}

TEST_CASE("explain: the first cache may have any name") {
  const Problem problem = parse_problem("mb1ic16ih4oc16oh4kh3ph1");
  Machine machine = load_machine("xeon-gold-6130");
  const Plan found = plan(problem, machine, {.top = 1, .algorithm = Algorithm::winograd});
  const Schedule& schedule = found.candidates.front().schedule;
  const WinogradBox box = explain(problem, machine, schedule).boxes.front();
  REQUIRE(box.caches.front() == "L1");
  machine.caches.front().name = "data";
  CHECK(explain(problem, machine, schedule).boxes.front().cycles == box.cycles);
}

TEST_CASE("explain text: a terminal gets a bar of the bound per level") {
  const Schedule schedule = parse_schedule("[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]");
  const Explanation explanation =
      explain(parse_problem("m64n64k32"), load_machine("xeon-gold-6130"), schedule);
  CHECK_FALSE(has(to_text(explanation), "###"));
  const std::string text = to_text(explanation, {.width = 80});
  std::istringstream lines(text);
  int bars = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!has(line, "###")) continue;
    CHECK(line.size() == 80);
    const double bound = static_cast<double>(std::ranges::count(line, '#'));
    const double all = bound + static_cast<double>(std::ranges::count(line, '+'));
    const double distance = explanation.levels[static_cast<std::size_t>(bars)].distance();
    CHECK(std::abs(bound - all / distance) <= 1);
    ++bars;
  }
  CHECK(bars == static_cast<int>(explanation.levels.size()));
  CHECK_FALSE(has(to_text(explanation, {.width = 30}), "###"));
}

TEST_CASE("explain: outputs that kernels convert in registers move in their own type") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.vector.dots = {.integers = true};
  const Schedule schedule = parse_schedule("[T(4,j), T(8,i), T(16,k), U(8,i), V(j)]");
  const auto explained = [&](const char* types) {
    const std::string problem = std::string("--dt=") + types + " m64n64k64";
    return explain(parse_problem(problem), machine, schedule).levels.back();
  };
  const LevelExplanation bytes = explained("u8:s8:u8"), sums = explained("u8:s8:s32");
  // Each of 64 x 64 outputs is loaded and stored once.
  CHECK(sums.tensors.back().bytes == 2 * 4 * 64 * 64);
  CHECK(bytes.tensors.back().bytes == 2 * 64 * 64);
  CHECK(sums.bound_bytes - bytes.bound_bytes == 2 * 3 * 64 * 64);
  CHECK(bytes.distance() >= 1);
}

TEST_CASE("explain: links move outputs that kernels convert in registers in their own type") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.vector.dots = {.integers = true};
  machine.caches[0].capacity_bytes = 8192;  // A and B have 4096 bytes each, and the sums 16384.
  const auto link_bytes = [&](const std::string& types, const std::string& loops) {
    const Problem problem = parse_problem("--dt=" + types + " m64n64k64");
    return explain(problem, machine, parse_schedule(loops)).candidate.prediction.levels[0].bytes;
  };
  // Each of 64 x 64 outputs is loaded and stored once: as a byte, or as an s32 of four bytes.
  const std::string once = "[T(4,j), T(8,i), T(16,k), U(8,i), V(j)]";
  CHECK(link_bytes("u8:s8:s32", once) - link_bytes("u8:s8:u8", once) == 2 * 3 * 64 * 64);
  // The first of two steps of k stores sums, which the second one loads and completes.
  const std::string twice = "[T(2,k), T(4,j), T(8,i), T(8,k), U(8,i), V(j)]";
  CHECK(link_bytes("u8:s8:s32", twice) - link_bytes("u8:s8:s32", once) >= 2 * 4 * 64 * 64);
  CHECK(link_bytes("u8:s8:s32", twice) - link_bytes("u8:s8:u8", twice) == 2 * 3 * 64 * 64);
}
