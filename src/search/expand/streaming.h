// SPDX-License-Identifier: Apache-2.0
// This file decides whether outputs should bypass the caches.
#pragma once

#include <optional>

#include "contexts.h"

namespace tileplan {

/// Returns `form` of `nest` with non-temporal stores. Returns nothing when such stores cannot pay:
/// the output is accumulated, sums are read back from it, it is transposed after the loops, or its
/// vectors are not aligned. If the outputs crowd the last cache (crowds_caches) and leave it
/// anyway, the prediction decides. If the cache keeps them, both variants are measured. Outputs
/// that do not crowd it are streamed only if this is predicted to save more than 2 % of the time.
/// `predictor` predicts `nest`. Throws Error as `predict` does.
std::optional<PredictedMarks> with_streaming(const CostContext& costs, const Nest& nest,
                                             NestPredictor& predictor, const PredictedMarks& form);

}  // namespace tileplan
