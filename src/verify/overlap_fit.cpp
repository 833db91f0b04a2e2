// SPDX-License-Identifier: Apache-2.0
// One parameter, one minimum: Brent's method.
#include "overlap_fit.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "cost.h"

namespace tileplan {

std::optional<double> fit_overlap(const std::vector<OverlapPoint>& points) {
  constexpr double kTelling = 0.2;
  constexpr double kLeast = 1, kMost = 16;
  std::vector<OverlapPoint> telling;
  std::copy_if(points.begin(), points.end(), std::back_inserter(telling),
               [](const OverlapPoint& point) {
                 const auto [less, more] = std::minmax(point.compute, point.transfer);
                 return less >= kTelling * more;
               });
  if (telling.empty()) return std::nullopt;
  const auto error = [&](double exponent) {
    double sum = 0;
    for (const OverlapPoint& point : telling) {
      const double predicted = overlapped(point.compute, {point.transfer}, exponent);
      sum += std::pow(std::log(predicted / point.both), 2);
    }
    return sum;
  };
  constexpr int kBits = 20;
  return boost::math::tools::brent_find_minima(error, kLeast, kMost, kBits).first;
}

}  // namespace tileplan
