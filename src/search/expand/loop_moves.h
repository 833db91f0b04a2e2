// SPDX-License-Identifier: Apache-2.0
// This file improves the order of loops and the layout of the input by predictions. Predictions
// distinguish orders that are equal in the per-level model, because the positions of batches,
// groups and filter taps affect the time between calls and the cache lines that neighbouring tiles
// share.
#pragma once

#include "candidates.h"
#include "contexts.h"

namespace tileplan {

/// Adds schedules that differ from the best candidates in the positions of loops. The search starts
/// from the two candidates with the smallest predictions that differ in register tile, layouts,
/// `prefetch`, `nt` or other marks that neither name a loop nor concern packing, and moves single
/// loops and parts of reduction loops as long as each move saves at least 0.1 % of the predicted
/// time. At most 100 orders are predicted for each of the two. Non-temporal stores are tried with
/// the best order of each. If a convolution may have any layouts, the two best orders are also
/// predicted with the input in nchw and in nhwc, and the faster layout of each is added if it saves
/// at least 5 % of the best prediction so far. `candidates` must have been searched with the
/// machine of `costs`.
void improve_loop_orders(Candidates& candidates, const CostContext& costs);

}  // namespace tileplan
