// SPDX-License-Identifier: Apache-2.0
// This file searches the schedules of one variant of the GEMM family.
#pragma once

#include "search.h"

namespace tileplan {

/// Returns schedules with the loops of `space.options.variant`: a few fast register tiles with up
/// to seven block sizes per dimension that divide its extent, in whole vectors where it is
/// vectorised, and the best of these schedules with A packed inside a loop. With plain weights,
/// only the best are returned, with B packed or read in place, each with and without A packed.
/// Throws Error when the problem is no matrix product, or when no microkernel keeps the variant's
/// operand in registers, and as `layouts_of` and `predict` do. Requires a variant in the options.
Candidates search_variant(const SearchSpace& space);

}  // namespace tileplan
