// SPDX-License-Identifier: Apache-2.0
// This file declares the facts from which the head comment and the signatures of an emitted file
// are written.
#pragma once

#include <string>

#include "emit_index.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Holds the facts that the beginning of an emitted file describes.
struct EmittedHead {
  const EmitContext& context;
  const Schedule& schedule;
  std::string isa;
  std::string name;  ///< The names of the functions and macros that callers use begin with this
                     ///< text.
  Epilogue epilogue;
};

}  // namespace tileplan
