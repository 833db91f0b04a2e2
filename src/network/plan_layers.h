// SPDX-License-Identifier: Apache-2.0
// This file plans single layers, and lists those that have no plan.
#pragma once

#include <optional>

#include "tileplan/network.h"

namespace tileplan {

/// Holds a node of a graph, or a line of a list of layers, that has no plan.
struct SkippedLayer {
  std::string name = {};
  std::string kind = {};  ///< This text names the operator.
  std::string reason = {};
  double flops = 0;  ///< The work is 0 unless the node is a convolution or product of known shape.
  double bytes = 0;  ///< The tensors have this many bytes together; 0 means unknown.
};

/// Adds `layer` to the group with the same kind and reason, which is made if it does not exist.
void add_unplanned(std::vector<Unplanned>& groups, const SkippedLayer& layer);

/// Returns an entry for a problem that plan() refused. Its work and its bytes are 0 if they cannot
/// be counted.
SkippedLayer dropped_layer(const std::string& name, const Problem& problem,
                           const std::string& reason);

/// Returns true when some Winograd convolution may compute `problem` with a relative error of at
/// most `max_error`.
bool allows_winograd(const Problem& problem, double max_error);

/// Plans layers with the options of one network, and with its records of measurements.
class LayerPlanner {
 public:
  /// Opens the records once for all layers, if the options use records and ask for measurements.
  /// Keeps references to its arguments.
  LayerPlanner(const Machine& machine, const NetworkOptions& options);

  /// Returns plan() of one layer with `top` as Options::top, or plan_with_records() if the records
  /// are open. If the options ask for Winograd convolutions and none may compute the layer, plans
  /// direct kernels. Throws Error as plan() does.
  Plan plan_layer(const Problem& problem, const Epilogue& epilogue, int top, Regime regime);

 private:
  const Machine& machine_;
  const NetworkOptions& options_;
  std::optional<Records> records_;
};

/// Sorts the groups of nodes without a plan by decreasing size. Counts the convolutions and
/// products of `network`, with and without a plan.
void count_operations(NetworkPlan& network);

}  // namespace tileplan
