// SPDX-License-Identifier: Apache-2.0
// Outputs that bypass the caches, where the model expects something of it.
#pragma once

#include <optional>

#include "nest.h"
#include "prefetches.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Whether the tensors, padding included, take more than a quarter of the last cache of `machine`,
/// and the output more than the caches before it of `cores` cores keep: where outputs may be
/// streamed. The model knows no tenants that keep the rest of a cache, nor what reading outputs for
/// ownership costs behind it; measured times with streamed over those with ordinary stores, Zen 4
/// with 32 MiB, 2026-11-22: 29 MB 0.56, 17 MB 0.85 and 1.00, yolo9000-2, -4 and -8 (28, 14, 8 MB)
/// 0.98 to 0.99, 4 to 5 MB 0.99 to 1.02; Zen 5, yolo9000-2: 1.016. Layers that read such outputs
/// next take as long as after ordinary stores: yolo9000-4 and -5 together 0.994, -8 and -9 0.998
/// to 1.004.
bool crowds_caches(const Computation& computation, const Machine& machine, int cores);

/// Whether the tensors take more than the model plans to keep in the last cache: then outputs come
/// from and go to memory in every run.
bool leaves_caches(const Computation& computation, const Machine& machine);

/// `candidate`, whose nest is `nest`, with non-temporal stores; nothing where they cannot pay:
/// `crowds_caches` says no, sums are read from the output, or it is transposed after the loops; nor
/// where vectors of it are not aligned, or where `leaves_caches` and the prediction is no better.
/// Where the model expects the outputs to stay, only a measurement tells. Throws Error as `predict`
/// does.
std::optional<Candidate> streamed(const Pricing& pricing, const Candidate& candidate,
                                  const Nest& nest);

}  // namespace tileplan
