// SPDX-License-Identifier: Apache-2.0
// This file decides whether outputs should bypass the caches.
#pragma once

#include <optional>

#include "contexts.h"

namespace tileplan {

/// Returns `form` of `nest` with non-temporal stores. Returns nothing when they cannot pay:
/// `crowds_caches` is false, sums are read back from the output, the output is transposed after the
/// loops, its vectors are not aligned, or the outputs leave the caches anyway and the prediction is
/// no better. If the model expects the outputs to stay in a cache, only a measurement tells. Throws
/// Error as `predict` does.
std::optional<PredictedMarks> with_streaming(const CostContext& costs, const Nest& nest,
                                             const PredictedMarks& form);

}  // namespace tileplan
