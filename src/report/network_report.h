// SPDX-License-Identifier: Apache-2.0
// This file computes what the report of a network says.
#pragma once

#include "layer_report.h"

namespace tileplan {

struct NetworkReport {
  NetworkPlan network = {};
  std::vector<LayerReport> layers = {};  ///< They have the order of `network.layers`.

  int count(std::size_t layer) const { return network.layers[layer].count; }
};

/// Holds sums over the layers, each multiplied by its executions.
struct NetworkTotals {
  double predicted_seconds = 0;
  double seconds = 0;  ///< Layers that were not measured count as predicted.
  double bytes = 0;    ///< The last cache loads them when all caches are cold at first.
  double flops = 0, share_of_peak = 0;
  std::size_t measured = 0;              ///< So many layers were measured.
  std::vector<Sensitivity> sensitivity;  ///< Their bottlenecks are empty.
};

/// Throws Error as plan() does.
NetworkReport network_report(const NetworkPlan& network, const CountDone& progress = nullptr);

NetworkTotals totals_of(const NetworkReport& report);

/// Returns the bytes that enter the last cache when all caches are cold at first.
double bytes_of(const LayerReport& report);

/// Returns the best prediction of the plan, divided by that for the changed machine.
double gain_of(const LayerReport& report, const Sensitivity& change);

/// Returns the faster link that speeds the layer up most, or null when none helps.
const Sensitivity* best_link(const LayerReport& report);

}  // namespace tileplan
