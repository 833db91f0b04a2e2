// SPDX-License-Identifier: Apache-2.0
// This file copies tensors from one layout to another.
#pragma once

#include "buffers.h"
#include "computation.h"

namespace tileplan {

/// Returns `source`, whose layout is `from`, in the layout `to`, with zeros in padding.
Buffer relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
                const TensorLayout& to);

}  // namespace tileplan
