// SPDX-License-Identifier: Apache-2.0
// This file derives problems and epilogues from the convolutions and products of a graph.
#pragma once

#include "node_view.h"
#include "tileplan/epilogue.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Holds the problem and the epilogue that a kernel computes for one node.
struct LayerProblem {
  Problem problem = {};
  Epilogue epilogue = {};
};

/// Returns true for convolutions and products: Conv, Gemm, MatMul, Product, and the quantised
/// layers (quantised.h). layer_problem() tells whether a kernel can compute such a node.
bool is_layer(const GraphNode& node);

/// Returns the problem and the epilogue of a layer (is_layer) of a rewritten graph. Throws
/// NotUnderstood with the reason when no kernel can compute the node.
LayerProblem layer_problem(const NodeView& node);

}  // namespace tileplan
