// SPDX-License-Identifier: Apache-2.0
// Finds the convolutions and products of ONNX models, with the nodes that can be fused into them.
#pragma once

#include <string>
#include <vector>

#include "onnx_shapes.h"
#include "tileplan/epilogue.h"
#include "tileplan/problem.h"

namespace tileplan {

/// One problem with its epilogue, computed by one or more nodes.
struct OnnxLayer {
  std::string name = {};                 ///< name of the first node, or of its output
  Problem problem = {};                  ///< a convolution or a product, unnamed
  Epilogue epilogue = {};                ///< from the nodes that follow
  std::vector<std::string> others = {};  ///< names of later nodes with the same work
};

/// A node that is not planned, and why. Constant nodes need no plan and are left out.
struct OnnxSkipped {
  std::string name = {};
  std::string reason = {};
};

struct OnnxNetwork {
  std::vector<OnnxLayer> layers = {};  ///< in the order of their first nodes
  std::vector<OnnxSkipped> skipped = {};
};

/// Returns the Conv, Gemm and MatMul nodes of the model file `path`, each distinct problem once.
/// Nodes whose result nothing else reads become the epilogue. `shapes` gives the extents of inputs
/// that the file leaves open. Throws Error with the file and the rule when the file is no model, an
/// input stays open, or a node is invalid.
OnnxNetwork read_onnx(const std::string& path, const InputShapes& shapes);

}  // namespace tileplan
