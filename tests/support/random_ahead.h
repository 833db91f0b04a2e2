// SPDX-License-Identifier: Apache-2.0
// A loop of a random schedule whose weights or input can be prefetched.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "branches.h"
#include "merge_dims.h"
#include "nest.h"
#include "next_tile_prefetch.h"
#include "repack.h"
#include "tileplan/error.h"

namespace tileplan::test {

/// The layout in which the loops of `schedule` read the input; nothing when they read a packed
/// copy, or the layout does not exist.
inline std::optional<TensorLayout> read_in_place(const Computation& computation,
                                                 const Schedule& schedule, const Nest& nest) {
  try {
    return input_in_place(computation, schedule, nest);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Half of the time one of the positions that plan_next_tile_prefetch takes, when there are any.
inline std::optional<int> random_ahead(std::mt19937& random, const Problem& problem,
                                       const Schedule& schedule, int lanes) {
  const Computation computation = computation_of(problem, schedule);
  const Nest nest = resolve(schedule, computation, lanes);
  const std::size_t band = reduction_band(computation, nest);
  const std::optional<TensorLayout> input = read_in_place(computation, schedule, nest);
  std::vector<int> possible;
  for (int position = 0; position < static_cast<int>(band); ++position) try {
      plan_next_tile_prefetch(computation, nest, band, input, position);
      possible.push_back(position);
    } catch (const Error&) {
      continue;  // not a position for this schedule
    }
  if (possible.empty() || random() % 2 == 0) return std::nullopt;
  return possible[random() % possible.size()];
}

}  // namespace tileplan::test
