// SPDX-License-Identifier: Apache-2.0
// Sorts, removes duplicates and near-copies, keeps the best few.
#pragma once

#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// `candidates` by predicted time (ties by schedule text), without equal schedules, at most `keep`.
std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep);

}  // namespace tileplan
