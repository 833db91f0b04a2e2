// SPDX-License-Identifier: Apache-2.0
// The verdict over candidates that were not all compared at once.
#pragma once

#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// Candidates that were measured side by side, and how that ended.
struct Comparison {
  Verdict verdict = Verdict::unmeasured;
  std::vector<Measurement> measured = {};
};

/// The verdict over both: that of the side with the fastest candidate when the other side is
/// clearly slower (no interval meets that of the fastest, each from enough undisturbed samples),
/// else `undecided`. A side without measurements says nothing.
Verdict joint_verdict(const Comparison& one, const Comparison& other);

}  // namespace tileplan
