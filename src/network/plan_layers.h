// SPDX-License-Identifier: Apache-2.0
// This file plans single layers, and lists those that have no plan.
#pragma once

#include <optional>

#include "tileplan/network.h"

namespace tileplan {

/// Holds a node or a line without a plan.
struct SkippedLayer {
  std::string name = {};
  std::string kind = {};  ///< This text names the operator.
  std::string reason = {};
  double flops = 0;  ///< This is 0 unless the node is a convolution or product of known shape.
  double bytes = 0;  ///< The tensors have this many bytes as f32.
};

/// Adds `layer` to the group of its kind and reason.
void add_unplanned(std::vector<Unplanned>& groups, const SkippedLayer& layer);

/// Returns the entry of a problem that plan() refused. Its work and its bytes are 0, which means
/// unknown, when they cannot be counted either.
SkippedLayer dropped_layer(const std::string& name, const Problem& problem,
                           const std::string& reason);

/// Plans layers, with the records that the options name.
class LayerPlanner {
 public:
  /// Opens the records once for all layers, if the options name them and something is measured.
  LayerPlanner(const Machine& machine, const NetworkOptions& options);

  /// Returns plan() of one layer, of which `top` candidates are kept. Throws Error as plan() does.
  Plan plan_layer(const Problem& problem, const Epilogue& epilogue, int top, Regime regime);

 private:
  const Machine& machine_;
  const NetworkOptions& options_;
  std::optional<Records> records_;
};

/// Sorts the groups without a plan and counts the operations of `network`.
void count_operations(NetworkPlan& network);

}  // namespace tileplan
