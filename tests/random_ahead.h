// SPDX-License-Identifier: Apache-2.0
// A loop of a random schedule whose weights can be prefetched.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "ahead.h"
#include "nest.h"
#include "tileplan/error.h"

namespace tileplan::test {

/// Half of the time one of the positions that plan_ahead takes, when there are any.
inline std::optional<int> random_ahead(std::mt19937& random, const Problem& problem,
                                       const Schedule& schedule, int lanes) {
  const Computation computation = computation_of(problem);
  const Nest nest = resolve(schedule, computation, lanes);
  const std::size_t band = reduction_band(computation, nest);
  std::vector<int> possible;
  for (int position = 0; position < static_cast<int>(band); ++position) try {
      plan_ahead(computation, nest, band, position);
      possible.push_back(position);
    } catch (const Error&) {
      continue;  // not a position for this schedule
    }
  if (possible.empty() || random() % 2 == 0) return std::nullopt;
  return possible[random() % possible.size()];
}

}  // namespace tileplan::test
