// SPDX-License-Identifier: Apache-2.0
// This file tries exponents in small steps, because the error can have as many local minima as
// points.
#include "overlap_fit.h"

#include <algorithm>
#include <cmath>

#include "cost.h"

namespace tileplan {

std::optional<double> fit_overlap(std::vector<OverlapPoint> points) {
  constexpr double kTelling = 0.2;
  constexpr double kLeast = 2, kMost = 16, kStep = 1.001;
  std::erase_if(points, [](const OverlapPoint& point) {
    const auto [less, more] = std::minmax(point.compute, point.transfer);
    return less < kTelling * more;
  });
  if (points.empty()) return std::nullopt;
  const auto error = [&](double exponent) {
    double sum = 0;
    for (const OverlapPoint& point : points)
      sum +=
          std::abs(std::log(overlap_times(point.compute, {point.transfer}, exponent) / point.both));
    return sum;
  };
  double best = kMost, least = error(kMost);
  for (double exponent = kLeast; exponent < kMost; exponent *= kStep)
    if (const double sum = error(exponent); sum < least) {
      least = sum;
      best = exponent;
    }
  return best;
}

}  // namespace tileplan
