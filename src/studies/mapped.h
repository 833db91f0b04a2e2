// SPDX-License-Identifier: Apache-2.0
// This file makes vectors from ranges, because C++20 lacks std::ranges::to.
#pragma once

#include <functional>
#include <type_traits>
#include <vector>

namespace tileplan {

/// Returns the results of `projection`, a function or a member, for each element of `range`, in the
/// same order.
template <class Range, class Projection>
auto mapped(const Range& range, Projection projection) {
  using Result = std::invoke_result_t<Projection&, decltype(*std::begin(range))>;
  std::vector<std::decay_t<Result>> results;
  results.reserve(std::size(range));
  for (const auto& each : range) results.push_back(std::invoke(projection, each));
  return results;
}

}  // namespace tileplan
