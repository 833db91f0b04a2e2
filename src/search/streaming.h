// SPDX-License-Identifier: Apache-2.0
// Outputs that bypass the caches, where the model expects something of it.
#pragma once

#include <optional>

#include "nest.h"
#include "prefetches.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Whether the last cache of `machine`, all of it, is smaller than the tensors, padding included:
/// where outputs may be streamed. Of problems between its usable part and its capacity a part stays
/// from one run to the next: yolo9000-2 (28 of 32 MiB, of which the model uses 25) takes 0.984
/// [0.981, 0.991] of the time with ordinary stores, Zen 5, 2026-11-22.
bool leaves_caches(const Computation& computation, const Machine& machine);

/// `candidate`, whose nest is `nest`, with non-temporal stores; nothing where they cannot pay:
/// `leaves_caches` says no, sums are read from the output, or it is transposed after the loops; nor
/// where vectors of it are not aligned, or the prediction is no better. Throws Error as
/// `predict` does.
std::optional<Candidate> streamed(const Pricing& pricing, const Candidate& candidate,
                                  const Nest& nest);

}  // namespace tileplan
