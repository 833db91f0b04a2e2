// SPDX-License-Identifier: Apache-2.0
// Tensors that kernels of a schedule cannot read or write: found before they are compiled.
#pragma once

#include <string>
#include <vector>

#include "branches.h"
#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Why `compile` would refuse `schedule`, whose branches are given, with the layout `input` outside
/// packed boxes, in words; empty when it would not: a tile cuts the blocks of a layout, a register
/// tile reaches too far over a tensor, vectors of pixels are not neighbours or read padding of an
/// input that is not packed, or a loop over the filter cuts the phases of one that is.
std::string why_unreadable(const Computation& computation, const Schedule& schedule,
                           const std::vector<Branch>& branches, const TensorLayout& input);

}  // namespace tileplan
