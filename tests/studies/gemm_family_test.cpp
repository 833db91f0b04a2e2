// SPDX-License-Identifier: Apache-2.0
// This test checks the products, cases and scalar steps of the study of the GEMM family. It runs
// the study on two small products, one of them of square matrices, and summarises rows made by
// hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "error_of.h"
#include "gemm_ladder.h"
#include "gemm_rows.h"
#include "studies.h"
#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/verify.h"

using namespace tileplan;

namespace {

StudyOptions options(const TemporaryFolder& folder) {
  return {.layers = {parse_gemm("m48n64k48"), parse_gemm("m48n48k48")},
          .folder = folder / "out",
          .measurements = 6,
          .budget_seconds = 1,
          .version = "test"};
}

std::string run(const StudyOptions& options, const std::vector<Peer>& peers = {}) {
  std::string said;
  study_gemm_family(detect_machine(), options, peers,
                    [&](const std::string& text) { said += text; });
  return said;
}

GemmRow row(const std::string& problem, const std::string& role, const GemmSetting& setting,
            std::optional<double> ratio = {}) {
  GemmRow made{.problem = problem, .role = role, .setting = setting};
  made.seconds = MedianInterval{.median = 1, .low = 1, .high = 1};
  made.share_of_peak = 0.5;
  if (ratio) made.ratio = MedianInterval{.median = *ratio, .low = *ratio, .high = *ratio};
  return made;
}

/// Returns a choice whose fastest rival takes `rival` times as long, and peers that take 1.2 and
/// 1.1 times as long.
std::vector<GemmRow> product(const std::string& name, double rival) {
  const GemmSetting inside{"any order", "in place", "packed inside", "none"};
  return {row(name, "choice", inside), row(name, "rival", inside, rival),
          row(name, "peer", {"onednn 2", "library", "plain", "none"}, 1.2),
          row(name, "peer", {"blis 1", "library", "plain", "none"}, 1.1)};
}

}  // namespace

TEST_CASE("gemmfamily: a product without schedules in the order of a variant has other cases") {
  const std::vector<GemmCase> cases = gemm_cases(parse_gemm("m2n512k512"), detect_machine());
  CHECK(std::ranges::count(cases, true, &GemmCase::is_choice) == 2);
}

TEST_CASE("gemmfamily: the products are those of two batches, OpEvo, six squares and thin ones") {
  const std::vector<Problem> products = gemm_family_products();
  // Two of the 30 thin products are in another table too.
  CHECK(products.size() == 20 + 20 + 3 + 6 + 28);
  CHECK(to_string(products.front()) == "m12544n64k147");
  CHECK(to_string(products[20]) == "m100352n64k147");
  CHECK(to_string(products[19]) == "m49n512k2048");
}

TEST_CASE("gemmfamily: thin products have an extent of at most 64, and more than one row") {
  std::set<std::string> names;
  for (int i = 0; i < 28; ++i) {
    const auto shape = std::get<GemmShape>(gemm_family_products()[49 + i]);
    CHECK(std::min({shape.m, shape.n, shape.k}) <= 64);
    CHECK(shape.m >= 2);
    names.insert(to_string(Problem(shape)));
  }
  CHECK(names.size() == 28);
}

TEST_CASE("gemmfamily: each case is the first of its setting, and each form has one choice") {
  const GemmShape shape = parse_gemm("m96n128k64");
  const Machine machine = load_machine("xeon-gold-6130");
  const std::vector<GemmCase> cases = gemm_cases(shape, machine);
  std::set<std::string> settings;
  int choices = 0;
  for (const GemmCase& each : cases) {
    CHECK(each.plan.candidates.size() == 1);
    settings.insert(each.setting.variant + each.setting.a + each.setting.b);
    choices += each.is_choice ? 1 : 0;
  }
  CHECK(settings.size() == cases.size());
  CHECK(choices == 2);
  for (const char* variant : {"B3A2C0", "A3B2C0"})
    for (const char* a : {"in place", "packed inside"})
      for (const char* b : {"in place", "packed inside", "packed before"})
        CHECK(settings.contains(std::string(variant) + a + b));
}

TEST_CASE("gemmfamily: parallel cases name the loops that threads share") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.cores = 4;
  std::set<std::string> loops;
  for (const GemmCase& each : parallel_gemm_cases(parse_gemm("m480n512k384"), machine)) {
    CHECK(each.setting.parallel.find_first_of("ij") == 0);
    CHECK(each.setting.b != "packed before");
    loops.insert(each.setting.parallel);
  }
  CHECK(loops.size() >= 2);
}

TEST_CASE("gemmfamily: the steps without vectors compute the product, also of uneven blocks") {
  const GemmShape shape = parse_gemm("m70n130k65");
  std::vector<float> a(70 * 65), b(65 * 130), expected(70 * 130);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  for (const ScalarProduct& step : scalar_products()) {
    CAPTURE(step.name);
    std::vector<float> c(70 * 130, 99);
    step.run(shape, {.a = a, .b = b, .c = c});
    if (step.name == "plain loops") expected = c;
    CHECK(c == expected);
  }
  float corner = 0;
  for (int k = 0; k < 65; ++k) corner += a[k] * b[k * 130];
  CHECK(expected.front() == corner);
}

TEST_CASE("gemmfamily: totals count choices within 5 % and compare with the best peer") {
  std::vector<GemmRow> rows = product("m8n8k8", 0.96);
  for (const GemmRow& each : product("m9n9k9", 0.9)) rows.push_back(each);
  const std::string totals = gemm_totals(rows);
  CHECK(
      totals.starts_with("packing inside: the model's choice is within 5 % of the fastest case "
                         "for 1 of 2 products, and takes at most 1.111 of its time; best peer / "
                         "choice: geometric mean 1.100, least 1.100 (2 products)\n"));
}

TEST_CASE("gemmfamily: a choice whose rival was disturbed is not counted") {
  std::vector<GemmRow> rows = product("m8n8k8", 0.98);
  rows[1].ratio.reset();
  CHECK(gemm_totals(rows).starts_with(
      "packing inside: the model's choice is within 5 % of the fastest case for 0 of 0 products"));
}

TEST_CASE("gemmfamily: rows are read as they were written") {
  GemmRow written = row("m8n8k8", "rival", {"B3A2C0", "in place", "packed before", "none"}, 1.25);
  written.predicted = 0.5;
  written.code_bytes = 100;
  written.schedule = "[T(8,i), V(j)]";
  CHECK(to_fields(read_gemm_row(to_fields(written))) == to_fields(written));
  written.ratio.reset();
  CHECK_FALSE(read_gemm_row(to_fields(written)).ratio);
}

TEST_CASE("study gemmfamily: cases, steps and a peer are in the table; going on measures nothing") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  const std::vector<Peer> peers = find_peers({"best"}, detect_machine());
  const std::string said = run(chosen, peers);
  const std::string table = content_of(folder / "out/gemmfamily.csv");
  CHECK(content_of(folder / "out/summary.txt") == said);
  for (const char* part :
       {"\nm48n64k48,choice,any order,", ",B3A2C0,in place,in place,none,",
        ",A3B2C0,packed inside,", "\nm48n48k48,step,plain loops,", "\nm48n48k48,step,unrolled,"})
    CHECK(table.find(part) != std::string::npos);
  for (const Peer& peer : peers)
    if (peer.left_out.empty()) CHECK(table.find(",peer," + peer.name) != std::string::npos);
  CHECK(table.find("\nm48n64k48,step,") == std::string::npos);
  chosen.resume = true;
  run(chosen, peers);
  CHECK(content_of(folder / "out/gemmfamily.csv") == table);
}

TEST_CASE("study gemmfamily: other problems are refused") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  chosen.layers = {parse_problem("mb1ic16ih4oc16oh4kh1ph0")};
  CHECK(error_of([&] { run(chosen); }).ends_with("; must be one matrix product in f32"));
  chosen.layers = {parse_gemm("b2m8n16k8")};
  CHECK(error_of([&] { run(chosen); }) ==
        "gemmfamily: b2m8n16k8; must be one matrix product in f32");
}
