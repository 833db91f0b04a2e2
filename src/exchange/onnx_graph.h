// SPDX-License-Identifier: Apache-2.0
// Finds the convolutions and products of ONNX models, with the nodes that can be fused into them.
#pragma once

#include "onnx_shapes.h"
#include "tileplan/epilogue.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Holds an unnamed convolution or product with the epilogue of the nodes that follow it.
struct OnnxLayer {
  std::string name = {};  ///< It is that of the first node, or of its output.
  Problem problem = {};
  Epilogue epilogue = {};
  std::vector<std::string> others = {};  ///< These later nodes do the same work.
};

/// Says why a node is not planned. Constant nodes need no plan and are left out.
struct OnnxSkipped {
  std::string name = {};
  std::string kind = {};  ///< It is the operator.
  std::string reason = {};
  double flops = 0;  ///< It is 0 unless the node is a convolution or a product of known shape.
  double bytes = 0;  ///< It counts the tensors of such a node, as f32.
};

struct OnnxNetwork {
  std::vector<OnnxLayer> layers = {};  ///< They are in the order of their first nodes.
  std::vector<OnnxSkipped> skipped = {};
};

/// Returns the Conv, Gemm and MatMul nodes of the model file `path`, each distinct problem once. A
/// bias, BatchNormalization by constants, a residual Add, Relu and Clip become the epilogue when
/// nothing else reads what they read. `shapes` gives the extents of inputs that the file leaves
/// open. Throws Error with the file and the rule when the file is no model, a name in `shapes` is
/// no input, an input stays open, or a node is invalid.
OnnxNetwork read_onnx(const std::string& path, const InputShapes& shapes);

}  // namespace tileplan
