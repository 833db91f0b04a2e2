// SPDX-License-Identifier: Apache-2.0
// This file sums up the layers of a network.
#include "network_report.h"

#include "peak.h"

namespace tileplan {

NetworkReport network_report(const NetworkPlan& network, const CountDone& progress) {
  std::vector<Plan> plans;
  for (const NetworkLayer& layer : network.layers) plans.push_back(layer.plan);
  return {.network = network, .layers = layer_reports(plans, progress)};
}

bool has_peer(const NetworkReport& report) { return report.layers.front().peer.has_value(); }

PeerSums peer_sums_of(const NetworkReport& report) {
  PeerSums sums;
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const std::optional<PeerTimes>& times = report.layers[i].peer;
    if (!times) continue;
    sums.name = times->name;
    // Layers whose measurement was disturbed have no ratio and are left out.
    if (!times->ratio) continue;
    ++sums.layers;
    sums.ours_seconds += report.count(i) * times->ours->median_seconds;
    sums.peer_seconds += report.count(i) * times->peer->median_seconds;
  }
  return sums;
}

NetworkTotals totals_of(const NetworkReport& report) {
  NetworkTotals totals;
  totals.peers = peer_sums_of(report);
  totals.sensitivity = report.layers.front().sensitivity;
  for (Sensitivity& each : totals.sensitivity) each = {.change = each.change};
  double at_peak = 0;
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const LayerReport& layer = report.layers[i];
    const Candidate& first = layer.plan.candidates.front();
    totals.predicted_seconds += report.count(i) * first.prediction.seconds;
    totals.seconds += report.count(i) * seconds_of(layer);
    totals.measured += first.measurement ? 1 : 0;
    totals.bytes += report.count(i) * bytes_of(layer);
    totals.flops += report.count(i) * layer.plan.flops;
    at_peak += report.count(i) * seconds_at_peak(layer.plan, first.measurement);
    for (std::size_t c = 0; c < totals.sensitivity.size(); ++c)
      totals.sensitivity[c].seconds += report.count(i) * layer.sensitivity[c].seconds;
  }
  totals.share_of_peak = at_peak / totals.seconds;
  return totals;
}

double bytes_of(const LayerReport& report) {
  return static_cast<double>(report.explanation.levels.back().moved_bytes());
}

double gain_of(const LayerReport& report, const Sensitivity& change) {
  return report.plan.certificate.optimum / change.seconds;
}

const Sensitivity* best_link(const LayerReport& report) {
  constexpr double kLeastGain = 1.005;
  const Sensitivity* best = nullptr;
  for (const Sensitivity& each : report.sensitivity)
    if (each.change.starts_with("twice") && gain_of(report, each) > kLeastGain &&
        (!best || each.seconds < best->seconds))
      best = &each;
  return best;
}

}  // namespace tileplan
