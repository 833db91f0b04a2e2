// SPDX-License-Identifier: Apache-2.0
// This file runs kernels of quantised layers with the numbers that the nodes hold.
#pragma once

#include "node_view.h"
#include "step_operation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Returns the operation that computes `node`, a quantised layer, with `kernel`. The kernel must
/// have been made for the problem and the epilogue of the node. Packs the weights. Throws Error
/// with the name of the node when the file does not contain the numbers of the weights.
Operation quantised_kernel(const Kernel& kernel, const NodeView& node);

}  // namespace tileplan
