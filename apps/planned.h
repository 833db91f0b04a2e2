// SPDX-License-Identifier: Apache-2.0
// Plans that are measured as the flags ask, with what earlier runs measured.
#pragma once

#include "flags.h"

namespace tileplan {

/// The plan of `problem`. The best `options.verify` candidates are measured, and the rest of the
/// options decides which they are; what the records of `flags` know is taken from there, and what
/// they do not know is added. Throws Error as `plan`, and when the records cannot be used.
Plan planned(const Problem& problem, const Machine& machine, Options options,
             const PlanFlags& flags);

}  // namespace tileplan
