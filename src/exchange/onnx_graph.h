// SPDX-License-Identifier: Apache-2.0
// ONNX models: their convolutions and products with what is fused into them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Nodes that are one problem with one epilogue.
struct OnnxLayer {
  std::string name = {};                 ///< of the first node, or of what it computes
  Problem problem = {};                  ///< a convolution or a product, unnamed
  Epilogue epilogue = {};                ///< of the nodes behind it
  std::vector<std::string> others = {};  ///< the further nodes that are the same
};

/// A node that is not planned, and why. Constant nodes are values: they need no plan.
struct OnnxSkipped {
  std::string name = {};
  std::string reason = {};
};

struct OnnxNetwork {
  std::vector<OnnxLayer> layers = {};  ///< in the order of their first nodes
  std::vector<OnnxSkipped> skipped = {};
};

/// Extents of inputs of the graph, by name.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

/// The Conv, Gemm and MatMul nodes of the model file `path`, each distinct problem once; a bias,
/// BatchNormalization of constants, residual Add, Relu and Clip that alone use a result are its
/// epilogue. Shapes that the file leaves open are taken from `shapes` and inferred by the onnx
/// library. Throws Error with the file: not a model, cut off, an unknown input, an input whose
/// shape is open (naming the flag that closes it).
OnnxNetwork read_onnx(const std::string& path, const InputShapes& shapes);

/// The shapes that texts like "input=1x3x224x224" give. Throws Error with the text and the rule.
InputShapes parse_shapes(const std::vector<std::string>& texts);

}  // namespace tileplan
