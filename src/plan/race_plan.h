// SPDX-License-Identifier: Apache-2.0
// A race measures candidates in turn and drops those that are clearly slower. It ends without an
// error if candidates crash, hang or cannot be compiled, even if all do. A wrong result is an
// error.
#pragma once

#include "tileplan/plan.h"

namespace tileplan {

/// Measures as verify() does, but keeps the order of the candidates. Throws Error as verify() does,
/// also for a wrong result, but not when no candidate could be measured; Plan::failures then lists
/// the failed candidates.
Plan race_plan(Plan plan);

}  // namespace tileplan
