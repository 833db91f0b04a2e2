// SPDX-License-Identifier: Apache-2.0
// Copies tensors from one layout to another.
#pragma once

#include "buffers.h"
#include "computation.h"

namespace tileplan {

/// Returns `source`, which lies in `from`, in the layout `to`; padding of blocks becomes zero.
/// Requires: `source` has the elements of its layout.
Buffer relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
                const TensorLayout& to);

}  // namespace tileplan
