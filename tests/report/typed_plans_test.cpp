// SPDX-License-Identifier: Apache-2.0
// This test plans problems of each combination of element types except f32 and f64, or of every
// third one with some sanitizers. It checks the certificate, the explanation, the pages, the
// records and the file of each plan.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "close_to.h"
#include "page_tree.h"
#include "random_types.h"
#include "recall.h"
#include "reduction.h"
#include "report_files.h"
#include "temporary_folder.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

constexpr double kRounded = 1 - 1e-12;

/// Returns a machine with instructions for bytes and bf16 whose first two caches are too small for
/// the problems in f32, so that their links have traffic.
Machine machine_with_dots() {
  Machine machine = load_machine("xeon-gold-6130");
  machine.vector.dots = {.integers = true, .bf16 = true};
  machine.caches[0].capacity_bytes /= 4;
  machine.caches[1].capacity_bytes /= 64;
  return machine;
}

Plan typed_plan(const std::string& types, const std::string& shape) {
  const bool is_scaled = types == "u8:s8:u8" || types == "s8";
  return plan(parse_problem("--dt=" + types + " " + shape), machine_with_dots(),
              {.top = 5,
               .epilogue = parse_epilogue(is_scaled ? "bias,scale=channel,relu" : "relu"),
               .certify_full = true});
}

void check_certificate(const Plan& plan) {
  const Certificate& certificate = plan.certificate;
  CHECK(certificate.bound > 0);
  CHECK(certificate.bound <= certificate.optimum);
  CHECK(certificate.gap == close_to(1 - certificate.bound / certificate.optimum));
  CHECK(certificate.per_level.bound <= certificate.per_level.optimum);
  for (const Candidate& each : plan.candidates) {
    CAPTURE(to_string(each.schedule));
    CHECK(each.prediction.seconds >= certificate.bound);
    CHECK(each.prediction.seconds >= kRounded * certificate.optimum);
  }
}

void check_explanation(const LayerReport& report) {
  const Explanation& explanation = report.explanation;
  const Prediction& prediction = report.plan.candidates.front().prediction;
  CHECK(explanation.rejected.empty());
  CHECK(explanation.candidate.prediction == prediction);
  for (std::size_t i = 0; i < explanation.levels.size(); ++i) {
    const LevelExplanation& level = explanation.levels[i];
    CAPTURE(level.cache);
    const auto moved = static_cast<double>(level.moved_bytes());
    CHECK(moved >= kRounded * level.bound_bytes);
    CHECK(level.bound_bytes >= kRounded * compulsory_bytes(report, i));
    if (level.holds_problem) continue;
    // The prediction counts whole lines. It does not count padding, nor weights that are multiplied
    // only with padding.
    const Computation& computation = report.computation;
    const double padding =
        (1 - stored_share(computation)) * static_cast<double>(level.tensors[0].bytes) +
        (1 - array_share(computation, Dim{0})) * static_cast<double>(level.tensors[1].bytes);
    CHECK(prediction.levels[i].bytes >= kRounded * (moved - padding));
  }
  const auto json = nlohmann::json::parse(to_json(explanation));
  CHECK(parse_problem(json.at("problem").get<std::string>()) == report.plan.problem);
  CHECK(json.at("predicted_s") == prediction.seconds);
  CHECK(to_text(explanation).find(explanation.levels.back().cache) != std::string::npos);
}

void check_pages(const LayerReport& report) {
  const std::string types = to_string(types_of(report.plan.problem));
  const auto json = nlohmann::json::parse(layer_json(report));
  CHECK(parse_problem(json.at("problem").get<std::string>()) == report.plan.problem);
  CHECK(json.at("compulsory_bytes") == compulsory_bytes(report));
  const auto& levels = report.explanation.levels;
  REQUIRE(json.at("levels").size() == levels.size());
  const Document document = layer_document(report, kOrigin);
  const std::string page = to_html(document);
  check_self_contained(page);
  const pugi::xml_document tree = tree_of(page);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    CHECK(json.at("levels")[i].at("moved_bytes_sum") == levels[i].moved_bytes());
    for (std::size_t t = 0; t < 3; ++t)
      CHECK(number(tree, "bytes", i + 1, t + 2) == static_cast<double>(levels[i].tensors[t].bytes));
  }
  CHECK(page.find(" in " + types + " on 1 thread.") != std::string::npos);
  const std::string text = to_markdown(document);
  CHECK(text.find(" in " + types + " on 1 thread.") != std::string::npos);
  CHECK(text.find("`" + to_string(report.plan.candidates[0].schedule) + "`") != std::string::npos);
}

/// Stores measurements of all candidates, and checks that they are found again, and that those of
/// other types in the same database are not taken for them.
void check_records(const Plan& plan, const TemporaryFolder& folder) {
  const RecallOptions options{.version = "0.1.0 (abc)"};
  Records records(folder / "records.db");
  const std::size_t count = plan.candidates.size();
  Plan measured = plan, later = plan;
  later.options.verify = static_cast<int>(count);
  CHECK(recall(later, records, options) == 0);
  for (Candidate& each : measured.candidates)
    each.measurement = Measurement{
        .median_seconds = 1e-3, .kept = 5, .samples = 5, .times = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3}};
  CHECK(remember(measured, records, options) == count);
  CHECK(recall(later, records, options) == count);
  const std::vector<Record> found = records.find();
  CHECK(found.back().problem.starts_with(to_string(plan.problem)));
  CHECK(parse_json_lines(to_json_lines(found), "lines") == found);
}

void check_file(const Plan& plan, const TemporaryFolder& folder) {
  const std::string path = folder / "typed.plan";
  save_plan(plan, path);
  CHECK(load_plan(path) == plan);
}

void check_all(const std::string& shape) {
  const TemporaryFolder folder;
  for (const std::string& types : combinations_to_plan()) {
    CAPTURE(types);
    const Plan plan = typed_plan(types, shape);
    const LayerReport report = layer_report(plan);
    check_certificate(plan);
    check_explanation(report);
    check_pages(report);
    check_records(plan, folder);
    check_file(plan, folder);
  }
}

}  // namespace

TEST_CASE("typed plans: products have certificates, explanations, pages, records and files") {
  check_all("m48n64k40");
}

TEST_CASE("typed plans: convolutions have certificates, explanations, pages, records and files") {
  check_all("mb1ic24ih9oc32oh9kh3ph1");
}

TEST_CASE("typed plans: depthwise layers have them too") {
  check_all("g32mb1ic32ih9oc32oh9kh3ph1");
}
