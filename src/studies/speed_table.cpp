// SPDX-License-Identifier: Apache-2.0
// Speeds are computed from the second measurement, in which the best schedules of all searches were
// measured in turns.
#include "speed_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "computation.h"
#include "mapped.h"
#include "text_table.h"

namespace tileplan {

namespace {

constexpr double kGiga = 1e9;

double operations(const Problem& problem) {
  return std::holds_alternative<Relation>(problem) ? flops(computation_of(problem))
                                                   : flops(problem);
}

std::string speed_cell(const StrategyResult& result, double operations) {
  if (result.finals.empty()) return "-";
  const MeanAndDeviation speed = mean_and_deviation(
      mapped(result.finals, [&](double seconds) { return operations / seconds / kGiga; }));
  return decimals(speed.mean, 1) +
         (speed.deviation ? " (" + decimals(speed.deviation, 1) + ")" : "");
}

std::string kind_text(const std::string& kind, const std::vector<LayerResult>& layers) {
  const std::vector<std::string> names = mapped(layers, &LayerResult::layer);
  constexpr int kLeast = 16, kGap = 2;
  TextColumns columns{.name = 24, .cell = kLeast};
  for (const std::string& name : names)
    columns.cell = std::max(columns.cell, static_cast<int>(name.size()) + kGap);
  std::string text = kind + ": Gop/s, mean (standard deviation) over the seeds\n" +
                     text_row(columns, "  strategy", names);
  for (const StrategyResult& strategy : layers.front().strategies)
    text +=
        text_row(columns, "  " + strategy.strategy, mapped(layers, [&](const LayerResult& layer) {
                   const auto found = std::ranges::find(layer.strategies, strategy.strategy,
                                                        &StrategyResult::strategy);
                   return found == layer.strategies.end()
                              ? std::string("-")
                              : speed_cell(*found, operations(parse_problem(layer.layer)));
                 }));
  return text;
}

}  // namespace

MeanAndDeviation mean_and_deviation(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  MeanAndDeviation result{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count};
  if (values.size() == 1) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

std::string kind_of(const Problem& problem) {
  if (const auto* const gemm = std::get_if<GemmShape>(&problem)) {
    if (gemm->m == 1 || gemm->n == 1) return "reductions";
    return gemm->b > 1 ? "batched matrix products" : "matrix products";
  }
  const auto* const conv = std::get_if<ConvShape>(&problem);
  if (conv == nullptr) return "relations";
  return conv->g > 1 && conv->g == conv->c ? "depthwise convolutions" : "convolutions";
}

std::string speed_text(const std::vector<LayerResult>& results) {
  std::vector<std::string> kinds =
      mapped(results, [](const LayerResult& layer) { return kind_of(parse_problem(layer.layer)); });
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (std::find(kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(i), kinds[i]) !=
        kinds.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    std::vector<LayerResult> layers;
    for (std::size_t j = i; j < results.size(); ++j)
      if (kinds[j] == kinds[i]) layers.push_back(results[j]);
    text += kind_text(kinds[i], layers);
  }
  return text;
}

}  // namespace tileplan
