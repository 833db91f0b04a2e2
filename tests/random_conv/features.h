// SPDX-License-Identifier: Apache-2.0
// This file counts the features of random cases, so that the test can tell how often each feature
// was run.
#pragma once

#include <array>
#include <cstddef>

#include "draw.h"

namespace tileplan::test {

constexpr std::size_t kFeatures = 64;

struct FeatureCount {
  const char* name = "";
  long count = 0;
};
using FeatureCounts = std::array<FeatureCount, kFeatures>;

/// Increments the count of every feature that `drawn` has, and sets the names of all features.
/// Requires that the schedule fits the problem.
void count_features(const RandomCase& drawn, FeatureCounts& counts);

}  // namespace tileplan::test
