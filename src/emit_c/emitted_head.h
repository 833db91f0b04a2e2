// SPDX-License-Identifier: Apache-2.0
// This file declares what the functions of an emitted file have in common.
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
