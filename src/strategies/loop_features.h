// SPDX-License-Identifier: Apache-2.0
// This file describes schedules by numbers from which a model can learn their speed.
#pragma once

#include "computation.h"

namespace tileplan {

/// Returns the features of a schedule, in the same order for every schedule of `computation`. They
/// follow the features that AutoTVM computes for each loop. Each dimension has kFeatureLoops groups
/// of features, one for each loop over the dimension, innermost first. A group without a loop has
/// zeros. Any other group has
///   - the loop's trips and its position from the outermost loop; a list of blocks (lambda) counts
///     as its iterations divided by those of its largest block,
///   - for the input, the weights and the output each: the elements that one execution of the loop
///     touches, the iterations per touched element, and the stride between two trips in elements.
/// After all groups follow the sizes of the register tile, the distances and positions of the marks
/// `prefetch`, `ahead` and `pack=in`, the layouts, and non-temporal stores. Trips, touched
/// elements, iterations per element and sizes are logarithms to the base 2. Throws Error as
/// `resolve` and `layout_of` do.
std::vector<float> loop_features(const Computation& computation, const Schedule& schedule,
                                 int lanes);

/// With four caches, schedules of the search have at most six loops over a dimension: one outside
/// the tile of each cache, one around the register tile, and one list of blocks (lambda). If a
/// schedule has more loops over a dimension, only the innermost six are described.
constexpr int kFeatureLoops = 6;

}  // namespace tileplan
