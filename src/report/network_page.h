// SPDX-License-Identifier: Apache-2.0
// Lays out the report of a network as a document.
#pragma once

#include "document.h"
#include "layer_report.h"

namespace tileplan {

struct NetworkLayer {
  std::string name;
  LayerReport report;
  int count = 1;  ///< The network executes the layer so often.
};

/// Says why a part of the network was not planned.
struct Unplanned {
  std::string name, reason;
};

/// Holds at least one layer. All layers are planned for the same machine and threads.
struct Network {
  std::string name;
  std::vector<NetworkLayer> layers;
  std::vector<Unplanned> unplanned;
};

/// Holds sums over the layers, each multiplied by its executions.
struct NetworkTotals {
  double seconds = 0;
  double bytes = 0;  ///< The last cache loads them when all caches are cold at first.
  double flops = 0, share_of_peak = 0;
  std::vector<Sensitivity> sensitivity;  ///< Their bottlenecks are empty.
};
NetworkTotals totals_of(const Network& network);

Document network_document(const Network& network, const Reproduction& origin);

std::string network_csv(const Network& network);

}  // namespace tileplan
