// SPDX-License-Identifier: Apache-2.0
// By default, Xbyak throws Xbyak::Error when the system does not permit executable code. This file
// throws Error instead.
#include "executable.h"

#include "tileplan/error.h"

namespace tileplan {

void make_executable(Xbyak::CodeGenerator& generator) {
  if (!generator.setProtectModeRE(false))
    throw Error(
        "kernel: the system does not let this process make memory executable that it has written "
        "(PR_SET_MDWE or a security policy); it must");
}

}  // namespace tileplan
