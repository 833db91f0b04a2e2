// SPDX-License-Identifier: Apache-2.0
// This file declares the function that writes a whole C file from a loop program.
#pragma once

#include <cstdint>
#include <string>

#include "emit_index.h"
#include "tileplan/emit.h"

namespace tileplan {

struct EmittedFunctions {
  std::string source = {};   ///< This is the text of the C file.
  std::int64_t scratch = 0;  ///< The packed boxes take this many elements of the array `scratch`.
  std::string declaration = {};  ///< This line declares the function NAME_run.
};

/// Writes the functions that pack weights and run the program of `context`. If `scratch` is not
/// empty, packed boxes lie in the thread-local array of this name, which another file defines.
/// Throws Error as check_output_box() and output_rows() do.
EmittedFunctions emit_functions(const EmitContext& context, const Schedule& schedule,
                                const EmitOptions& options, const std::string& scratch);

}  // namespace tileplan
