// SPDX-License-Identifier: Apache-2.0
// This file checks whether kernels can read and write the tensors, before the kernels are compiled.
#pragma once

#include <string>
#include <vector>

#include "branches.h"
#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns why `compile` would refuse a nest with these branches and marks, or nothing when it
/// would not. The input has the layout `input` outside packed boxes. `compile` refuses a tile that
/// cuts the blocks of a layout, a register tile that spans too many bytes of a tensor, vectors of
/// pixels that are not contiguous or that read padding of an unpacked input, and a loop over the
/// filter that cuts the phases of a packed input.
std::string why_infeasible(const Computation& computation, const Marks& marks,
                           const std::vector<Branch>& branches, const TensorLayout& input);

}  // namespace tileplan
