// SPDX-License-Identifier: Apache-2.0
// Keys stand in JSON objects in the order in which they are added here.
#include "plan_json.h"

#include "kernel_memory.h"
#include "plan_members.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

Json certificate_json(const Certificate& certificate) {
  Json json = members_json(kCertificateMembers, certificate);
  json["per_level"] = members_json(kProofMembers, certificate.per_level);
  json["divisibility"] = members_json(kDivisibilityMembers, certificate.divisibility);
  if (!certificate.algorithms.empty())
    json["algorithms"] = members_json(kAlgorithmMembers, certificate.algorithms);
  return json;
}

Json stages_json(const std::vector<StagePrediction>& stages) {
  Json list = Json::array();
  for (const StagePrediction& stage : stages)
    list.push_back({{"name", stage.name},
                    {"seconds", stage.seconds},
                    {"compute_seconds", stage.compute_seconds},
                    {"levels", members_json(kLevelMembers, stage.levels)}});
  return list;
}

Json per_tensor(const LevelExplanation& level,
                const std::function<std::int64_t(const LevelTensor&)>& value) {
  Json numbers = Json::object();
  for (const LevelTensor& tensor : level.tensors) numbers[tensor.movement.tensor] = value(tensor);
  return numbers;
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
                {"levels", members_json(kLevelMembers, prediction.levels)},
                {"unhidden", members_json(kUnhiddenMembers, prediction.unhidden)},
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
  if (options.max_error != Options{}.max_error || options.algorithm != Algorithm::direct)
    document["max_error"] = options.max_error;
  if (options.algorithm != Algorithm::direct) document["algorithm"] = to_string(options.algorithm);
}

Json plan_document(const Plan& plan) {
  Json candidates = Json::array();
  const ComputationVariants read(plan.problem);
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    candidates.push_back(printed_candidate(plan.candidates[i], i + 1));
    candidates.back()["memory"] = memory_json(memory_of(plan, i, read));
  }
  Json document{{"problem", to_string(plan.problem)},
                {"machine", plan.machine.name},
                {"calibrated", !plan.machine.provenance.calibrated.empty()},
                {"threads", plan.options.threads},
                {"regime", to_string(plan.options.regime)},
                {"plan_ms", plan.plan_seconds * 1e3},
                {"measure_s", plan.measure_seconds},
                {"waited_s", plan.waiting_seconds},
                {"candidates", candidates},
                {"rejected", members_json(kRejectedMembers, plan.rejected)},
                {"certificate", certificate_json(plan.certificate)}};
  add_algorithm(plan.options, document);
  return document;
}

}  // namespace tileplan
