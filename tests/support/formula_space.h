// SPDX-License-Identifier: Apache-2.0
// This file makes search spaces whose times are formulas, so that searches need no measurements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "integers.h"
#include "search_session.h"
#include "search_space.h"

namespace tileplan::toy {

/// Returns the space of the ordered factorisations of `total` into `count` factors. The text of a
/// point lists the factors.
inline StrategySpace factor_space(std::int64_t total, std::size_t count) {
  StrategySpace space;
  Chain chain{.coordinates = {}, .sizes = divisors(total), .total = [total](const SpacePoint&) {
                return total;
              }};
  for (std::size_t i = 0; i + 1 < count; ++i) {
    chain.coordinates.push_back(static_cast<int>(i));
    space.coordinates.push_back({.name = "size " + std::to_string(i),
                                 .topology = Topology::discrete,
                                 .values = static_cast<int>(chain.sizes.size())});
  }
  space.chains.push_back(chain);
  space.accepts = [](const SpacePoint&) { return true; };
  space.text = [chain](const SpacePoint& point) {
    std::string text;
    for (const std::int64_t factor : factors_of(chain, point)) text += std::to_string(factor) + ' ';
    return text;
  };
  return space;
}

/// Returns a space whose coordinate i takes lengths[i] values, in any combination. The text of a
/// point lists its coordinates.
inline StrategySpace box_space(const std::vector<int>& lengths,
                               Topology topology = Topology::discrete) {
  StrategySpace space;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    space.coordinates.push_back(
        {.name = "x" + std::to_string(i), .topology = topology, .values = lengths[i]});
  space.accepts = [](const SpacePoint&) { return true; };
  space.text = [](const SpacePoint& point) {
    std::string text;
    for (const int place : point) text += std::to_string(place) + ' ';
    return text;
  };
  return space;
}

inline std::vector<std::int64_t> numbers(const std::string& text) {
  std::vector<std::int64_t> all;
  for (std::size_t at = 0; at < text.size(); at = text.find(' ', at) + 1)
    all.push_back(std::stoll(text.substr(at)));
  return all;
}

/// Returns a session that computes the time of a candidate, in seconds, from the numbers in its
/// text. All samples are equal. The clock stands still, so the session ends only after
/// `measurements` measurements.
inline SearchSession formula_session(
    std::function<double(const std::vector<std::int64_t>&)> seconds, int measurements = 512) {
  return SearchSession(
      [seconds = std::move(seconds)](const std::string& candidate) {
        const double exact = seconds(numbers(candidate));
        return Evaluation{.samples = {exact, exact, exact}, .failure = ""};
      },
      {.measurements = measurements, .seconds = 1}, [] { return 0.0; });
}

}  // namespace tileplan::toy
