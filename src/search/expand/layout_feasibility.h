// SPDX-License-Identifier: Apache-2.0
// This file checks whether kernels can read and write the tensors, before the kernels are compiled.
#pragma once

#include <string>
#include <vector>

#include "branches.h"
#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the reason why `compile` would refuse `nest` with these branches and marks, or empty
/// text if there is none of these: cut blocks of a layout, register tiles that span too many bytes
/// of a tensor, more indices of the input in padding than kernels can test, vectors of pixels that
/// are not contiguous or read padding in an input that is not packed, and loops over the filter
/// that cut the phases of a packed input with a stride. A phase consists of the pixels with equal
/// remainders by the stride, which a packed box stores together. `input` is the layout of an
/// unpacked input.
std::string why_infeasible(const Computation& computation, const Marks& marks, const Nest& nest,
                           const std::vector<Branch>& branches, const TensorLayout& input);

}  // namespace tileplan
