// SPDX-License-Identifier: Apache-2.0
// `tileplan emit MODEL.onnx` writes a whole network as C.
#pragma once

#include "flags.h"

namespace tileplan {

/// Holds the flags of `emit` that a model takes besides those of planning.
struct EmitModelFlags {
  std::string isa;
  std::string name;    ///< If it is empty, the name of the model's file is used.
  std::string folder;  ///< All files are written here.
};

/// Plans the model for the vectors of `flags.isa` and writes its C and its packed weights. Throws
/// Error with the name of a node that has no C before it writes anything.
void emit_model(const PlanFlags& plan_flags, const EmitModelFlags& flags);

}  // namespace tileplan
