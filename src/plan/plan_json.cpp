// SPDX-License-Identifier: Apache-2.0
// This file writes fields in the order in which they are declared.
#include "plan_json.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

Json certificate_json(const Certificate& certificate) {
  const BandProof& band = certificate.band;
  Json divisibility = Json::array();
  for (const Divisibility& level : certificate.divisibility)
    divisibility.push_back({{"level", level.level},
                            {"divisors", level.divisors},
                            {"any", level.any},
                            {"any_bound", level.any_bound}});
  return {{"space", certificate.space},
          {"optimum", certificate.optimum},
          {"bottleneck", certificate.bottleneck},
          {"bound", certificate.bound},
          {"nodes", certificate.nodes},
          {"gap", certificate.gap},
          {"band",
           {{"optimum", band.optimum},
            {"bound", band.bound},
            {"solved", band.solved},
            {"pruned", band.pruned},
            {"unsolved", band.unsolved}}},
          {"divisibility", divisibility}};
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

Json candidate_json(const Candidate& candidate, std::size_t rank) {
  const auto& [schedule, prediction, measured] = candidate;
  return {{"rank", rank},
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
}

Json plan_document(const Plan& plan) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < plan.candidates.size(); ++i)
    candidates.push_back(candidate_json(plan.candidates[i], i + 1));
  return {{"problem", to_string(plan.problem)},
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
}

}  // namespace tileplan
