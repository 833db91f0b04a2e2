// SPDX-License-Identifier: Apache-2.0
// Programs that plan problems call this function before anything else.
#pragma once

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Makes an allocation of GMP that fails throw std::bad_alloc. The library counts with isl, which
/// computes with GMP, and GMP aborts the process by default. The setting is one of the whole
/// process, so the library leaves it to the program.
void let_gmp_throw();

}  // namespace tileplan
