// SPDX-License-Identifier: Apache-2.0
// A network as a document: its layers by time and bytes, and what would help them.
#pragma once

#include <string>
#include <vector>

#include "document.h"
#include "layer_report.h"

namespace tileplan {

struct NetworkLayer {
  std::string name;
  LayerReport report;
  int count = 1;  ///< executions in the network
};

/// A part of the network that was not planned.
struct Unplanned {
  std::string name;
  std::string reason;
};

/// Requires: at least one layer, all planned for the same machine and threads.
struct Network {
  std::string name;
  std::vector<NetworkLayer> layers;
  std::vector<Unplanned> unplanned;
};

/// Sums over the layers, each as often as it is executed.
struct NetworkTotals {
  double seconds = 0;
  double bytes = 0;  ///< into the last cache, from cold caches
  double flops = 0;
  double share_of_peak = 0;
  std::vector<Sensitivity> sensitivity;  ///< without bottlenecks
};
NetworkTotals totals_of(const Network& network);

Document network_document(const Network& network, const Provenance& provenance);

/// One row per layer, with headings.
std::string network_csv(const Network& network);

}  // namespace tileplan
