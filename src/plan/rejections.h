// SPDX-License-Identifier: Apache-2.0
// This file counts the reasons why candidates of a plan were rejected.
#pragma once

#include <string>

#include "tileplan/plan.h"

namespace tileplan {

/// Increments the count of `reason` in `plan.rejected`, which stays sorted by reason.
void reject(Plan& plan, const std::string& reason);

}  // namespace tileplan
