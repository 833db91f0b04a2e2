// SPDX-License-Identifier: Apache-2.0
// These functions compare the sizes of tensors with those of caches.
#pragma once

#include "computation.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns true when the tensors, padding included, fill more than a quarter of the last cache of
/// `machine`, and the output exceeds the usable capacity of the previous level, if there is one,
/// for `cores` cores. Non-temporal stores may then be faster, but the model cannot predict this,
/// because it does not know how much of the last cache other data occupy (docs/experiments.md).
/// Returns false without caches.
bool crowds_caches(const Computation& computation, const Machine& machine, int cores);

/// Returns true when the tensors exceed the usable part of the last cache, so that outputs must be
/// written to memory. Returns false without caches.
bool leaves_caches(const Computation& computation, const Machine& machine);

}  // namespace tileplan
