// SPDX-License-Identifier: Apache-2.0
// The candidates are sorted by scores and by speeds only once, because every n of average_recall()
// uses the same two orders.
#include "average_recall.h"

#include <algorithm>
#include <numeric>

namespace tileplan {

namespace {

/// Returns the positions of `values` in descending order of the values. Equal values keep their
/// order.
std::vector<std::size_t> descending(const std::vector<float>& values) {
  std::vector<std::size_t> places(values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t i) { return values[i]; });
  return places;
}

}  // namespace

double average_recall(const std::vector<float>& scores, const std::vector<float>& speeds,
                      std::size_t top) {
  const std::vector<std::size_t> by_score = descending(scores), by_speed = descending(speeds);
  std::vector<std::size_t> rank(speeds.size());
  for (std::size_t i = 0; i < by_speed.size(); ++i) rank[by_speed[i]] = i;
  const std::size_t most = std::min(top, scores.size());
  double sum = 0;
  for (std::size_t n = 1; n <= most; ++n) {
    const auto end = by_score.begin() + static_cast<std::ptrdiff_t>(n);
    const auto hits =
        std::count_if(by_score.begin(), end, [&](std::size_t i) { return rank[i] < n; });
    sum += static_cast<double>(hits) / static_cast<double>(n);
  }
  return most == 0 ? 0 : sum / static_cast<double>(most);
}

}  // namespace tileplan
