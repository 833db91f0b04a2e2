// SPDX-License-Identifier: Apache-2.0
// Whether the tensors of a problem crowd the caches of a machine.
#pragma once

#include "computation.h"
#include "tileplan/machine.h"

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

}  // namespace tileplan
