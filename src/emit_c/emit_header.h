// SPDX-License-Identifier: Apache-2.0
// This file writes the beginning of an emitted file, the signatures of its functions, and its
// header.
#pragma once

#include <string>

#include "emitted_head.h"

namespace tileplan {

/// Writes a comment about the problem, and the declarations of the functions. Only files that take
/// packed weights have a function that packs them.
void emit_header(CWriter& out, const EmittedHead& head);

/// Returns the signature of the function NAME_`verb`, which is "pack", "run" or, in files with
/// stages, "loops".
std::string signature(const EmittedHead& head, const std::string& verb);

/// Returns a header for C and C++ with the declarations of the emitted file `source`.
std::string header_of(const std::string& source);

}  // namespace tileplan
