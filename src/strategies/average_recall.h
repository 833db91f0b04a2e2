// SPDX-License-Identifier: Apache-2.0
// This file judges an order of candidates, as AutoTVM does to stop the training of its trees.
#pragma once

#include <cstddef>
#include <vector>

namespace tileplan {

/// Returns the mean over n = 1 ... `top` of a share: how many of the n fastest candidates are among
/// the n candidates with the highest scores. If there are fewer than `top` candidates, n ends at
/// their number. The result is 0 if `top` is 0 or there are no candidates. Example: with scores 3,
/// 2, 1, speeds 2, 3, 1 and `top` 3 the shares are 0 of 1, 2 of 2 and 3 of 3, so the mean is 2/3.
double average_recall(const std::vector<float>& scores, const std::vector<float>& speeds,
                      std::size_t top);

}  // namespace tileplan
