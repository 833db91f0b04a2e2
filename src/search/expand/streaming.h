// SPDX-License-Identifier: Apache-2.0
// This file decides whether outputs should bypass the caches.
#pragma once

#include <optional>

#include "contexts.h"

namespace tileplan {

/// Returns `form` of `nest` with non-temporal stores. Returns nothing when such stores cannot pay:
/// the output is accumulated, sums are read back from it, it is transposed after the loops, or its
/// vectors are not aligned. If the outputs leave the caches anyway, the prediction decides. If they
/// crowd a cache that keeps them (crowds_caches), both variants are measured. In all other cases
/// streaming must be predicted to save a little time. `predictor` predicts `nest`. Throws Error as
/// `predict` does.
std::optional<PredictedMarks> with_streaming(const CostContext& costs, const Nest& nest,
                                             NestPredictor& predictor, const PredictedMarks& form);

}  // namespace tileplan
