// SPDX-License-Identifier: Apache-2.0
// This file lists the places where the input and the weights of a schedule may be packed.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns copies of `schedule`, each of which packs the input inside a different loop. Such a loop
/// must be a T loop outside all lists of blocks (lambdas) and outside the reductions around the
/// register tile, and the input must depend on it. The result is empty when all tensors have the
/// vectorised dimension or when elements of the input are too large (is_packable), because such
/// inputs cannot be packed. Otherwise, with vectors of pixels it is never empty: if no loop
/// qualifies, a first loop of one trip packs the whole input.
std::vector<Schedule> input_packings(const Computation& computation, const Schedule& schedule);

/// Returns the variants of `schedule` for plain weights: a variant that reads the weights in place,
/// if kernels for `unit` can do so, variants with the weights packed inside each loop that they
/// depend on and whose position input_packings() would allow, and a variant in which a first loop
/// of one trip packs all weights.
std::vector<Schedule> plain_weights_forms(const Computation& computation, const VectorUnit& unit,
                                          const Schedule& schedule);

}  // namespace tileplan
