// SPDX-License-Identifier: Apache-2.0
// Fields are written in the order in which the headers declare them.
#include "plan_json.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

Json certificate_json(const Certificate& certificate) {
  const PerLevelProof& per_level = certificate.per_level;
  Json divisibility = Json::array();
  for (const Divisibility& level : certificate.divisibility)
    divisibility.push_back({{"level", level.level},
                            {"divisors", level.divisors},
                            {"any", level.any},
                            {"any_bound", level.any_bound}});
  Json json{{"space", certificate.space},
            {"optimum", certificate.optimum},
            {"bottleneck", certificate.bottleneck},
            {"bound", certificate.bound},
            {"nodes", certificate.nodes},
            {"gap", certificate.gap},
            {"per_level",
             {{"optimum", per_level.optimum},
              {"bound", per_level.bound},
              {"solved", per_level.solved},
              {"pruned", per_level.pruned},
              {"unsolved", per_level.unsolved}}},
            {"divisibility", divisibility}};
  if (certificate.algorithms.empty()) return json;
  json["algorithms"] = Json::array();
  for (const AlgorithmBound& each : certificate.algorithms)
    json["algorithms"].push_back({{"algorithm", each.algorithm},
                                  {"optimum", each.optimum},
                                  {"compute_bound", each.compute_bound},
                                  {"traffic_bound", each.traffic_bound},
                                  {"bound", each.bound},
                                  {"relative_error", each.relative_error}});
  return json;
}

Json rejected_json(const std::vector<Rejected>& rejected) {
  Json list = Json::array();
  for (const Rejected& each : rejected)
    list.push_back({{"reason", each.reason}, {"count", each.count}});
  return list;
}

Json unhidden_json(const Unhidden& unhidden) {
  return {{"exposed", unhidden.exposed},
          {"packing", unhidden.packing},
          {"repack", unhidden.repack},
          {"fork", unhidden.fork},
          {"prefetching", unhidden.prefetching}};
}

Json levels_json(const std::vector<LevelPrediction>& levels) {
  Json list = Json::array();
  for (const LevelPrediction& level : levels)
    list.push_back({{"name", level.name},
                    {"bytes", level.bytes},
                    {"seconds", level.seconds},
                    {"burst_seconds", level.burst_seconds}});
  return list;
}

Json stages_json(const std::vector<StagePrediction>& stages) {
  Json list = Json::array();
  for (const StagePrediction& stage : stages)
    list.push_back({{"name", stage.name},
                    {"seconds", stage.seconds},
                    {"compute_seconds", stage.compute_seconds},
                    {"levels", levels_json(stage.levels)}});
  return list;
}

void add_stages(const Prediction& prediction, Json& document) {
  if (prediction.stages.empty()) return;
  document["stages"] = stages_json(prediction.stages);
  document["relative_error"] = prediction.relative_error;
}

Json printed_candidate(const Candidate& candidate, std::size_t rank) {
  const auto& [schedule, prediction, measured] = candidate;
  Json document{{"rank", rank},
                {"schedule", to_string(schedule)},
                {"layout", {{"in", to_string(schedule.in)}, {"out", to_string(schedule.out)}}},
                {"predicted_s", prediction.seconds},
                {"compute_s", prediction.compute_seconds},
                {"levels", levels_json(prediction.levels)},
                {"unhidden", unhidden_json(prediction.unhidden)},
                {"bottleneck", prediction.bottleneck},
                {"bound_bytes", prediction.bound_bytes},
                {"measured_s", measured ? Json(measured->median_seconds) : Json()},
                {"kept", measured ? Json(measured->kept) : Json()},
                {"samples", measured ? Json(measured->samples) : Json()}};
  add_stages(prediction, document);
  return document;
}

void add_algorithm(const Options& options, Json& document) {
  if (options.weights != WeightsChoice::packed) document["weights"] = to_string(options.weights);
  if (options.variant) document["variant"] = to_string(*options.variant);
  if (options.algorithm == Algorithm::direct) return;
  document["algorithm"] = to_string(options.algorithm);
  document["max_error"] = options.max_error;
}

Json plan_document(const Plan& plan) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < plan.candidates.size(); ++i)
    candidates.push_back(printed_candidate(plan.candidates[i], i + 1));
  Json document{{"problem", to_string(plan.problem)},
                {"machine", plan.machine.name},
                {"calibrated", !plan.machine.provenance.calibrated.empty()},
                {"threads", plan.options.threads},
                {"regime", to_string(plan.options.regime)},
                {"plan_ms", plan.plan_seconds * 1e3},
                {"measure_s", plan.measure_seconds},
                {"waited_s", plan.waiting_seconds},
                {"candidates", candidates},
                {"rejected", rejected_json(plan.rejected)},
                {"certificate", certificate_json(plan.certificate)}};
  add_algorithm(plan.options, document);
  return document;
}

}  // namespace tileplan
