// SPDX-License-Identifier: Apache-2.0
// Assembled code is writable first and executable then, never both.
#pragma once

#include <xbyak/xbyak.h>

namespace tileplan {

/// Makes the code of `generator` executable and read-only. Throws Error when the system forbids it,
/// as after prctl(PR_SET_MDWE).
void make_executable(Xbyak::CodeGenerator& generator);

}  // namespace tileplan
