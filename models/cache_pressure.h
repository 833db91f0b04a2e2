// SPDX-License-Identifier: Apache-2.0
// These functions compare the sizes of tensors with those of caches.
#pragma once

#include "computation.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns true when the tensors, padding included, take more than a quarter of the last cache of
/// `machine` and the output exceeds what the caches before it keep for `cores` cores. Streamed
/// outputs may pay there, because the model knows neither other tenants of the last cache nor the
/// cost of reading outputs for ownership (docs/experiments.md).
bool crowds_caches(const Computation& computation, const Machine& machine, int cores);

/// Returns true when the last cache cannot keep the tensors, so outputs reach memory in every run.
bool leaves_caches(const Computation& computation, const Machine& machine);

}  // namespace tileplan
