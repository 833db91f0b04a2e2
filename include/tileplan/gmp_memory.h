// SPDX-License-Identifier: Apache-2.0
// Programs that plan problems should call let_gmp_throw() before anything else.
#pragma once

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Makes GMP throw std::bad_alloc when it cannot allocate memory, instead of aborting the process.
/// isl computes with GMP, and the library counts elements with isl. The setting affects the whole
/// process, so the library leaves it to the program.
void let_gmp_throw();

}  // namespace tileplan
