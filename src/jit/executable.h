// SPDX-License-Identifier: Apache-2.0
// This file declares the step that makes assembled code executable. Code is never writable at that
// time.
#pragma once

#include <xbyak/xbyak.h>

namespace tileplan {

/// Makes the code of `generator` executable and read-only. Throws Error when the system forbids it,
/// for example after prctl(PR_SET_MDWE).
void make_executable(Xbyak::CodeGenerator& generator);

}  // namespace tileplan
