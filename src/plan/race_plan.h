// SPDX-License-Identifier: Apache-2.0
// A race measures candidates in turn and drops those that are clearly slower. All candidates may
// fail.
#pragma once

#include "tileplan/plan.h"

namespace tileplan {

/// Returns verify(plan) with the candidates in their old order. Throws Error as verify() does,
/// except when all candidates failed; Plan::failures then lists them.
Plan race_plan(Plan plan);

}  // namespace tileplan
