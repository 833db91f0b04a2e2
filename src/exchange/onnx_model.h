// SPDX-License-Identifier: Apache-2.0
// An ONNX file as a graph that was checked and whose shapes were inferred.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "onnx_shapes.h"
#include "onnx_values.h"

namespace tileplan {

struct OnnxModel {
  onnx::ModelProto proto;
  ValueTypes types;  ///< of inputs, weights and results, as far as they are known
};

/// Returns the model in the file `path`, its inputs shaped as `shapes` say, with every type that
/// the onnx library can infer. Throws Error as read_onnx does, without the file's name.
OnnxModel load_model(const std::string& path, const InputShapes& shapes);

}  // namespace tileplan
