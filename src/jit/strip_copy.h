// SPDX-License-Identifier: Apache-2.0
// This file copies the input of the caller to strips of the types that the loops multiply.
#pragma once

#include "line_walk.h"
#include "loop_tree.h"
#include "tensor_layout.h"

namespace tileplan {

/// Plans the copy of the input of `elements`, which has the layout `from`, to strips with the
/// layout `to`. `strips` is the result of in_strips(). Requires: strips are contiguous in `to`.
StripCopy plan_strip_copy(const Computation& elements, const TensorLayout& from,
                          const Computation& strips, const TensorLayout& to);

/// Copies the lines in `range`. Writes zeros in padding and where the last strip of a group is
/// incomplete.
void copy_strips(const StripCopy& copy, const char* from, char* to, TaskRange range);

}  // namespace tileplan
