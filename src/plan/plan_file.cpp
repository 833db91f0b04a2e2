// SPDX-License-Identifier: Apache-2.0
// This file writes plans as JSON and reads them. Except for `format` and the fields inside
// `machine`, fields have the names of struct members in the public headers. Problems, schedules,
// epilogues and regimes are stored as text.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <variant>

#include "files.h"
#include "json_fields.h"
#include "machine_json.h"
#include "option_names.h"
#include "plan_json.h"
#include "plan_members.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"

namespace tileplan {
namespace {

constexpr const char* kAnyFormat = "tileplan-plan-";
constexpr const char* kFormat = "tileplan-plan-3";

template <class Value, std::size_t count>
Value value_in(const Names<Value, count>& names, const Fields& fields, const char* field) {
  const std::optional<Value> value = find_in(names, fields.text(field));
  if (!value) fields.fail(field, list_of(names));
  return *value;
}

Json options_json(const Options& options) {
  Json json{{"top", options.top},
            {"verify", options.verify},
            {"budget_seconds", options.budget_seconds},
            {"layout", name_in(kLayoutChoices, options.layout)},
            {"regime", to_string(options.regime)},
            {"threads", options.threads},
            {"epilogue", to_string(options.epilogue)},
            {"capacity", name_in(kCapacities, options.capacity)},
            {"certify_full", options.certify_full},
            // The seed is text, because many JSON readers round 64-bit numbers.
            {"seed", std::to_string(options.seed)}};
  add_algorithm(options, json);
  return json;
}

Json saved_candidate(const Candidate& candidate) {
  const Prediction& prediction = candidate.prediction;
  Json json{{"schedule", to_string(candidate.schedule)},
            {"seconds", prediction.seconds},
            {"reduction_steps", prediction.reduction_steps},
            {"compute_seconds", prediction.compute_seconds},
            {"levels", members_json(kLevelMembers, prediction.levels)},
            {"unhidden", members_json(kUnhiddenMembers, prediction.unhidden)},
            {"bottleneck", prediction.bottleneck},
            {"bound_bytes", prediction.bound_bytes}};
  add_stages(prediction, json);
  if (const auto& measured = candidate.measurement) {
    json["measurement"] = members_json(kMeasurementMembers, *measured);
    if (measured->peak_flops > 0) json["peak_flops"] = measured->peak_flops;
  }
  return json;
}

/// Returns the content of a plan file. The machine is stored as adapted to f32; read_plan() adapts
/// it to the element types again.
Json saved_plan(const Plan& plan) {
  Json candidates = Json::array(), failures = Json::array();
  for (const Candidate& each : plan.candidates) candidates.push_back(saved_candidate(each));
  for (const Failure& each : plan.failures)
    failures.push_back({{"schedule", to_string(each.schedule)}, {"reason", each.reason}});
  return {{"format", kFormat},
          {"problem", to_string(plan.problem)},
          {"name", std::visit([](const auto& shape) { return shape.name; }, plan.problem)},
          {"options", options_json(plan.options)},
          {"candidates", candidates},
          {"rejected", members_json(kRejectedMembers, plan.rejected)},
          {"failures", failures},
          {"verdict", name_in(kVerdicts, plan.verdict)},
          {"certificate", certificate_json(plan.certificate)},
          {"flops", plan.flops},
          {"plan_seconds", plan.plan_seconds},
          {"measure_seconds", plan.measure_seconds},
          {"waiting_seconds", plan.waiting_seconds},
          {"machine", Json::parse(to_json(plan.machine))}};
}

std::uint64_t read_seed(const Fields& fields) {
  const std::string text = fields.text("seed");
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) fields.fail("seed", "a number from 0 to 2^64 - 1");
  return value;
}

Options read_options(const Fields& fields) {
  Options options{.top = fields.count("top"),
                  .verify = fields.whole("verify"),
                  .budget_seconds = fields.positive("budget_seconds"),
                  .layout = value_in(kLayoutChoices, fields, "layout"),
                  .regime = parse_regime(fields.text("regime")),
                  .threads = fields.count("threads"),
                  .epilogue = parse_epilogue(fields.text("epilogue")),
                  .capacity = value_in(kCapacities, fields, "capacity"),
                  .certify_full = fields.flag("certify_full"),
                  .seed = read_seed(fields)};
  if (fields.has("weights")) options.weights = value_in(kWeightsChoices, fields, "weights");
  if (fields.has("algorithm")) options.algorithm = value_in(kAlgorithms, fields, "algorithm");
  if (fields.has("variant")) options.variant = value_in(kGemmVariants, fields, "variant");
  if (fields.has("max_error")) options.max_error = fields.non_negative("max_error");
  return options;
}

void read_stages(const Fields& fields, Prediction& prediction) {
  if (!fields.has("stages")) return;
  for (const Fields& stage :
       fields.list("stages", {"name", "seconds", "compute_seconds", "levels"}))
    read_list(
        kLevelMembers, stage, "levels",
        prediction.stages
            .emplace_back(StagePrediction{.name = stage.text("name"),
                                          .seconds = stage.non_negative("seconds"),
                                          .compute_seconds = stage.non_negative("compute_seconds")})
            .levels);
  prediction.relative_error = fields.non_negative("relative_error");
}

Candidate read_candidate(const Fields& fields) {
  Candidate candidate;
  candidate.schedule = parse_schedule(fields.text("schedule"));
  Prediction& prediction = candidate.prediction;
  prediction.seconds = fields.non_negative("seconds");
  prediction.reduction_steps = fields.non_negative("reduction_steps");
  prediction.compute_seconds = fields.non_negative("compute_seconds");
  read_list(kLevelMembers, fields, "levels", prediction.levels);
  read_object(kUnhiddenMembers, fields, "unhidden", prediction.unhidden);
  prediction.bottleneck = fields.text("bottleneck");
  prediction.bound_bytes = fields.non_negative("bound_bytes");
  read_stages(fields, prediction);
  if (fields.has("measurement"))
    read_object(kMeasurementMembers, fields, "measurement", candidate.measurement.emplace());
  if (candidate.measurement && fields.has("peak_flops"))
    candidate.measurement->peak_flops = fields.positive("peak_flops");
  return candidate;
}

Certificate read_certificate(const Fields& fields) {
  Certificate certificate;
  read_members(kCertificateMembers, fields, certificate);
  read_object(kProofMembers, fields, "per_level", certificate.per_level);
  read_list(kDivisibilityMembers, fields, "divisibility", certificate.divisibility);
  if (fields.has("algorithms"))
    read_list(kAlgorithmMembers, fields, "algorithms", certificate.algorithms);
  return certificate;
}

void read_candidates(const Fields& file, Plan& plan) {
  for (const Fields& each :
       file.list("candidates", {"schedule", "seconds", "reduction_steps", "compute_seconds",
                                "levels", "unhidden", "bottleneck", "bound_bytes", "stages",
                                "relative_error", "measurement", "peak_flops"}))
    plan.candidates.push_back(read_candidate(each));
  if (plan.candidates.empty()) file.fail("candidates", "a list of at least one");
  read_list(kRejectedMembers, file, "rejected", plan.rejected);
  for (const Fields& each : file.list("failures", {"schedule", "reason"}))
    plan.failures.push_back(
        {.schedule = parse_schedule(each.text("schedule")), .reason = each.text("reason")});
}

/// Throws Error for a plan in the format of another version of this program.
void refuse_other_versions(const Json& json, const std::string& path) {
  if (!json.is_object() || !json.contains("format") || !json.at("format").is_string()) return;
  const std::string format = json.at("format");
  if (format.starts_with(kAnyFormat) && format != kFormat)
    throw Error(path + ": another version saved this plan in the format " + format + "; must be " +
                kFormat + ", so plan the problem again");
}

Plan read_plan(const Json& json, const std::string& path) {
  refuse_other_versions(json, path);
  const Fields file(
      json, path,
      {"format", "problem", "name", "options", "candidates", "rejected", "failures", "verdict",
       "certificate", "flops", "plan_seconds", "measure_seconds", "waiting_seconds", "machine"});
  file.require("format", kFormat);
  Plan plan{.problem = parse_problem(file.text("problem"))};
  std::visit([&](auto& shape) { shape.name = file.text("name"); }, plan.problem);
  plan.options = read_options(file.object(
      "options",
      {"top", "verify", "budget_seconds", "layout", "regime", "threads", "epilogue", "capacity",
       "certify_full", "seed", "weights", "algorithm", "max_error", "variant"}));
  read_candidates(file, plan);
  plan.verdict = value_in(kVerdicts, file, "verdict");
  plan.certificate = read_certificate(
      file.object("certificate", {"space", "optimum", "bottleneck", "bound", "nodes", "gap",
                                  "per_level", "divisibility", "algorithms"}));
  plan.flops = file.positive("flops");
  plan.plan_seconds = file.non_negative("plan_seconds");
  plan.measure_seconds = file.non_negative("measure_seconds");
  plan.waiting_seconds = file.non_negative("waiting_seconds");
  if (!file.has("machine")) file.fail("machine", "an object");
  plan.machine = machine_for(machine_from_json(json.at("machine").dump(), path + ": machine"),
                             types_of(plan.problem));
  return plan;
}

}  // namespace

void save_plan(const Plan& plan, const std::string& path) {
  atomic_write(path, saved_plan(plan).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Plan load_plan(const std::string& path) {
  const std::string text = read_file(path, "a file that save_plan or plan --save wrote");
  try {
    return read_plan(parse_json(text, path), path);
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.starts_with(path) ? what : path + ": " + what);
  }
}

}  // namespace tileplan
