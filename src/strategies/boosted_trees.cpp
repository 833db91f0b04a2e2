// SPDX-License-Identifier: Apache-2.0
// This file calls the C interface of XGBoost.
#include "boosted_trees.h"

#include <xgboost/c_api.h>

#include <limits>

#include "average_recall.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

// AutoTVM uses these values, except that one thread fits the trees here, because more threads would
// disturb other programs.
constexpr const char* kParameters[][2] = {{"objective", "rank:pairwise"},
                                          {"max_depth", "3"},
                                          {"eta", "0.3"},
                                          {"gamma", "0.0001"},
                                          {"lambda", "1"},
                                          {"alpha", "0"},
                                          {"min_child_weight", "1"},
                                          {"subsample", "1"},
                                          {"nthread", "1"},
                                          {"verbosity", "0"}};
constexpr int kMostRounds = 8000, kPatience = 20;
constexpr std::size_t kTop = 64;

void require(int status) {
  if (status != 0) throw Error(std::string("xgboost: ") + XGBGetLastError());
}

struct FreeMatrix {
  void operator()(void* matrix) const { XGDMatrixFree(matrix); }
};
struct FreeBooster {
  void operator()(void* booster) const { XGBoosterFree(booster); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;
using Booster = std::unique_ptr<void, FreeBooster>;

Matrix matrix_of(const FeatureTable& rows) {
  DMatrixHandle handle = nullptr;
  require(XGDMatrixCreateFromMat(rows.values.data(), rows.rows(), rows.columns,
                                 std::numeric_limits<float>::quiet_NaN(), &handle));
  return Matrix(handle);
}

std::vector<float> predict(void* booster, void* matrix) {
  bst_ulong count = 0;
  const float* values = nullptr;
  require(XGBoosterPredict(booster, matrix, 0, 0, 0, &count, &values));
  return {values, values + count};
}

Booster empty_booster(void* matrix) {
  BoosterHandle handle = nullptr;
  require(XGBoosterCreate(&matrix, 1, &handle));
  Booster booster(handle);
  for (const auto& [name, value] : kParameters)
    require(XGBoosterSetParam(booster.get(), name, value));
  return booster;
}

}  // namespace

struct BoostedTrees::State {
  Booster booster = {};
};

std::string why_no_trees() { return ""; }

BoostedTrees::BoostedTrees() : state_(std::make_unique<State>()) {}
BoostedTrees::~BoostedTrees() = default;

void BoostedTrees::fit(const FeatureTable& rows, const std::vector<float>& speeds) {
  const Matrix matrix = matrix_of(rows);
  const auto count = static_cast<unsigned>(speeds.size());
  require(XGDMatrixSetFloatInfo(matrix.get(), "label", speeds.data(), count));
  require(XGDMatrixSetUIntInfo(matrix.get(), "group", &count, 1));
  state_->booster = empty_booster(matrix.get());
  double best = -1;
  int best_round = 0;
  for (int round = 0; round < kMostRounds && round - best_round < kPatience; ++round) {
    require(XGBoosterUpdateOneIter(state_->booster.get(), round, matrix.get()));
    const double recall =
        average_recall(predict(state_->booster.get(), matrix.get()), speeds, kTop);
    if (recall > best) {
      best = recall;
      best_round = round;
    }
  }
}

std::vector<float> BoostedTrees::scores(const FeatureTable& rows) const {
  return predict(state_->booster.get(), matrix_of(rows).get());
}

}  // namespace tileplan
