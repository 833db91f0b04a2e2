// SPDX-License-Identifier: Apache-2.0
// This file computes the numbers in the report of a network.
#pragma once

#include "layer_report.h"

namespace tileplan {

struct NetworkReport {
  NetworkPlan network = {};
  std::vector<LayerReport> layers = {};  ///< The reports are in the order of `network.layers`.
  /// This is empty when the network was not measured.
  std::optional<NetworkTimes> times = {};

  int count(std::size_t layer) const { return network.layers[layer].count; }
};

/// Holds sums of times over the layers that have a ratio to a peer. The time of each layer is
/// multiplied by its number of executions.
struct PeerSums {
  std::string name = {};  ///< The name is empty when no peer was measured.
  std::size_t layers = 0;
  double ours_seconds = 0, peer_seconds = 0;
};

/// Holds sums over the layers. Each layer counts as often as it is executed.
struct NetworkTotals {
  double predicted_seconds = 0;
  double seconds = 0;  ///< Layers that were not measured count with their predicted time.
  double bytes = 0;    ///< This is the sum of bytes_of().
  double flops = 0, share_of_peak = 0;
  std::size_t measured = 0;              ///< This many distinct layers were measured.
  std::vector<Sensitivity> sensitivity;  ///< The bottlenecks in these entries are empty.
  PeerSums peers;
};

/// Makes the reports of all layers. Throws Error as plan() does.
NetworkReport network_report(const NetworkPlan& network, const CountDone& progress = nullptr);

NetworkTotals totals_of(const NetworkReport& report);

/// Returns true when a peer was measured with the layers.
bool has_peer(const NetworkReport& report);

/// Returns the bytes that the loops move over the link into the last cache when all caches are cold
/// at first, including outputs that are written back. Copies to other layouts before or after the
/// loops do not count, and neither do the transforms of a Winograd convolution.
double bytes_of(const LayerReport& report);

/// Returns the predicted time of the best schedule, divided by the predicted time for the changed
/// machine.
double gain_of(const LayerReport& report, const Sensitivity& change);

/// Returns the change of a bandwidth that shortens the time of the layer most, or null when none
/// helps by more than 0.5 %. The result points into `report`.
const Sensitivity* best_link(const LayerReport& report);

}  // namespace tileplan
