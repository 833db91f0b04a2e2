// SPDX-License-Identifier: Apache-2.0
// This file writes the beginning of an emitted file, the signatures of its functions, and its
// header.
#pragma once

#include <string>

#include "emitted_head.h"

namespace tileplan {

/// Writes the head comment, which describes the problem, and the declarations of the functions.
/// NAME_pack is declared only if NAME_run takes packed weights.
void emit_header(CWriter& out, const EmittedHead& head);

/// Returns the signature of the function NAME_`verb`. The verb is "pack", "run" or, in files with
/// stages, "loops".
std::string signature(const EmittedHead& head, const std::string& verb);

/// Returns a header for C and C++ with the declarations of the emitted file `source`.
std::string header_of(const std::string& source);

}  // namespace tileplan
