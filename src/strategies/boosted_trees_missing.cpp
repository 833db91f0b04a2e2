// SPDX-License-Identifier: Apache-2.0
// This file replaces boosted_trees.cpp when XGBoost was not found. The error message tells how to
// install it.
#include "boosted_trees.h"
#include "tileplan/error.h"

namespace tileplan {

struct BoostedTrees::State {};

std::string why_no_trees() {
  return "boosted trees: tileplan was built without XGBoost; install libxgboost-dev (Debian, "
         "Ubuntu) and build again";
}

BoostedTrees::BoostedTrees() { throw Error(why_no_trees()); }
BoostedTrees::~BoostedTrees() = default;

// The constructor always throws, so no object exists whose functions could be called.
void BoostedTrees::fit(const FeatureTable& /*rows*/, const std::vector<float>& /*speeds*/) {}
std::vector<float> BoostedTrees::scores(const FeatureTable& /*rows*/) const { return {}; }

}  // namespace tileplan
