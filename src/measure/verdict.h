// SPDX-License-Identifier: Apache-2.0
// Declares the verdict over candidates that were not all compared at once.
#pragma once

#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// Candidates that were measured side by side, and their verdict.
struct Comparison {
  Verdict verdict = Verdict::unmeasured;
  std::vector<Measurement> measured = {};
};

/// Returns the verdict over both. The side with the fastest candidate keeps its verdict when all
/// candidates of the other side are clearly slower: their intervals lie above the fastest one's,
/// each from enough undisturbed samples. Otherwise the verdict is `undecided`. A side without
/// measurements does not count.
Verdict joint_verdict(const Comparison& one, const Comparison& other);

}  // namespace tileplan
