// SPDX-License-Identifier: Apache-2.0
// `tileplan emit MODEL.onnx` writes a whole network as C.
#pragma once

#include "flags.h"

namespace tileplan {

/// Holds the flags of `emit` that apply to models and that PlanFlags lacks.
struct EmitModelFlags {
  std::string isa;
  /// Begins the names of the C functions and files. If it is empty, they begin with the name of the
  /// model's file, as an identifier of C.
  std::string name;
  std::string folder;  ///< Names the folder for all output files.
};

/// Plans the model for the vectors of `flags.isa`, and writes C code and packed weights. Throws
/// Error with the name of a node that cannot be written as C, before any file is written.
void emit_model(const PlanFlags& plan_flags, const EmitModelFlags& flags);

}  // namespace tileplan
