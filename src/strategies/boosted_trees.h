// SPDX-License-Identifier: Apache-2.0
// Gradient-boosted trees learn to order candidates by their speed. XGBoost grows the trees; it is
// optional, like the libraries of `bench`.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tileplan {

/// Holds one row of features per candidate. All rows have `columns` values.
struct FeatureTable {
  std::size_t columns = 0;
  std::vector<float> values = {};  ///< Holds the rows one after another.

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

/// Returns the reason why this build has no BoostedTrees, or an empty text.
std::string why_no_trees();

/// Fits trees with a pairwise rank loss, as AutoTVM does. The loss is small if, in most pairs of
/// candidates, the faster one has a much higher score.
class BoostedTrees {
 public:
  /// Throws Error with the text of why_no_trees() unless that is empty.
  BoostedTrees();
  ~BoostedTrees();
  BoostedTrees(const BoostedTrees&) = delete;
  BoostedTrees& operator=(const BoostedTrees&) = delete;

  /// Replaces all trees. Adds up to 8000 trees, until average_recall() of the best 64 rows has not
  /// grown for 19 rounds. `speeds` are relative to the fastest row, and 0 for failures. Equal
  /// arguments give equal trees. Throws Error when XGBoost fails. Requires at least one row.
  void fit(const FeatureTable& rows, const std::vector<float>& speeds);

  /// Returns one score per row. Only differences of scores have a meaning. Throws Error when
  /// XGBoost fails. Requires fit().
  std::vector<float> scores(const FeatureTable& rows) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tileplan
