// SPDX-License-Identifier: Apache-2.0
// This file writes the numbers of pages as fields of JSON and CSV.
#include "report_files.h"

#include "coverage.h"
#include "escapes.h"
#include "plan_json.h"
#include "run_sections.h"

namespace tileplan {
namespace {

using Json = nlohmann::ordered_json;

Json median_or_null(const std::optional<Measurement>& measured) {
  return measured ? Json(measured->median_seconds) : Json();
}

Json sensitivity_json(const std::vector<Sensitivity>& changes) {
  Json rows = Json::array();
  for (const Sensitivity& each : changes)
    rows.push_back({{"change", each.change},
                    {"predicted_s", each.seconds},
                    {"bottleneck", each.bottleneck.empty() ? Json() : Json(each.bottleneck)}});
  return rows;
}

Json peer_json(const std::optional<PeerTimes>& peer) {
  if (!peer) return nullptr;
  const auto& ratio = peer->ratio;
  return {{"name", peer->name},
          {"layout", peer->layout},
          {"implementation", peer->implementation},
          {"ours_s", median_or_null(peer->ours)},
          {"peer_s", median_or_null(peer->peer)},
          {"ratio", ratio ? Json(ratio->median) : Json()},
          {"ratio_low", ratio ? Json(ratio->low) : Json()},
          {"ratio_high", ratio ? Json(ratio->high) : Json()},
          {"disturbed", peer->disturbed}};
}

/// Returns the fields of a row about the peer, which follow the schedule, each with a comma before
/// it. Returns no text without a peer.
std::string peer_fields(const std::optional<PeerTimes>& peer) {
  if (!peer) return "";
  constexpr int kDigits = 9;
  const auto seconds = [](const std::optional<Measurement>& measured) {
    return measured ? fixed(measured->median_seconds, kDigits) : std::string();
  };
  return ',' + csv_field(peer->name) + ',' + seconds(peer->ours) + ',' + seconds(peer->peer) + ',' +
         (peer->ratio ? fixed(peer->ratio->median, 4) : "");
}

Json level_json(const LevelExplanation& level) {
  return {{"name", level.cache},
          {"footprints", per_tensor(level, [](const auto& one) { return one.movement.footprint; })},
          {"capacity", level.capacity},
          {"moved_bytes", per_tensor(level, [](const auto& one) { return one.bytes; })},
          {"moved_bytes_sum", level.moved_bytes()},
          {"bound_bytes", level.bound_bytes},
          {"distance", level.distance()}};
}

Json peer_sums_json(const PeerSums& sums) {
  if (sums.name.empty()) return nullptr;
  return {{"name", sums.name},
          {"layers", sums.layers},
          {"ours_s", sums.ours_seconds},
          {"peer_s", sums.peer_seconds}};
}

Json layer_document(const LayerReport& report) {
  Json document = plan_document(report.plan);
  document["name"] = name_of(report.plan.problem);
  document["seconds"] = seconds_of(report);
  document["share_of_peak"] = share_of_peak(report);
  document["share_of_roofline"] = share_of_roofline(report);
  document["compulsory_bytes"] = compulsory_bytes(report);
  document["levels"] = Json::array();
  for (const LevelExplanation& level : report.explanation.levels)
    document["levels"].push_back(level_json(level));
  document["sensitivity"] = sensitivity_json(report.sensitivity);
  document["peer"] = peer_json(report.peer);
  return document;
}

}  // namespace

std::string layer_json(const LayerReport& report) { return layer_document(report).dump(2) + '\n'; }

std::string network_json(const NetworkReport& report) {
  const NetworkTotals totals = totals_of(report);
  Json layers = Json::array();
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    Json layer = layer_document(report.layers[i]);
    layer["name"] = report.network.layers[i].name;
    layer["executions"] = report.count(i);
    layers.push_back(std::move(layer));
  }
  Json document{{"name", report.network.name},
                {"operations", report.network.operations},
                {"planned", report.network.planned},
                {"seconds", totals.seconds},
                {"bytes", totals.bytes},
                {"flops", totals.flops},
                {"share_of_peak", totals.share_of_peak},
                {"peer", peer_sums_json(totals.peers)},
                {"sensitivity", sensitivity_json(totals.sensitivity)},
                {"layers", layers},
                {"unplanned", unplanned_json(report.network.unplanned)}};
  if (const Json run = run_json(report); !run.empty()) document["run"] = run;
  return document.dump(2) + '\n';
}

std::string layer_csv(const LayerReport& report) {
  std::string text = "problem,cache,tensor,footprint_elements,moved_bytes\n";
  for (const LevelExplanation& level : report.explanation.levels)
    for (const auto& [movement, bytes] : level.tensors)
      text += csv_field(to_string(report.plan.problem)) + ',' + csv_field(level.cache) + ',' +
              csv_field(movement.tensor) + ',' + std::to_string(movement.footprint) + ',' +
              std::to_string(bytes) + '\n';
  return text;
}

std::string network_csv(const NetworkReport& report) {
  std::string text =
      "layer,problem,executions,predicted_s,measured_s,last_cache_bytes,flops,share_of_peak,"
      "share_of_roofline,bottleneck,schedule";
  text += has_peer(report) ? ",peer,ours_s,peer_s,ratio\n" : "\n";
  constexpr int kDigits = 9;
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const LayerReport& layer = report.layers[i];
    const Candidate& first = layer.plan.candidates.front();
    text += csv_field(report.network.layers[i].name) + ',' +
            csv_field(to_string(layer.plan.problem)) + ',' + std::to_string(report.count(i)) + ',' +
            fixed(first.prediction.seconds, kDigits) + ',' +
            (first.measurement ? fixed(first.measurement->median_seconds, kDigits) : "") + ',' +
            fixed(bytes_of(layer), 0) + ',' + fixed(layer.plan.flops, 0) + ',' +
            fixed(share_of_peak(layer), 4) + ',' + fixed(share_of_roofline(layer), 4) + ',' +
            csv_field(first.prediction.bottleneck) + ',' + csv_field(to_string(first.schedule)) +
            peer_fields(layer.peer) + '\n';
  }
  return text;
}

}  // namespace tileplan
