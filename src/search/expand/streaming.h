// SPDX-License-Identifier: Apache-2.0
// Outputs that bypass the caches, where the model expects something of it.
#pragma once

#include <optional>

#include "nest.h"
#include "prefetches.h"
#include "tileplan/candidate.h"

namespace tileplan {

/// `candidate`, whose nest is `nest`, with non-temporal stores; nothing where they cannot pay:
/// `crowds_caches` says no, sums are read from the output, or it is transposed after the loops; nor
/// where vectors of it are not aligned, or where `leaves_caches` and the prediction is no better.
/// Where the model expects the outputs to stay, only a measurement tells. Throws Error as `predict`
/// does.
std::optional<Candidate> streamed(const Pricing& pricing, const Candidate& candidate,
                                  const Nest& nest);

}  // namespace tileplan
