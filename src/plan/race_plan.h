// SPDX-License-Identifier: Apache-2.0
// A race measures candidates in turn and drops those that are clearly slower. A race ends without
// an error even if all candidates fail.
#pragma once

#include "tileplan/plan.h"

namespace tileplan {

/// Measures as verify() does, but keeps the order of the candidates. Throws Error as verify() does,
/// except when all candidates failed; Plan::failures then lists them.
Plan race_plan(Plan plan);

}  // namespace tileplan
