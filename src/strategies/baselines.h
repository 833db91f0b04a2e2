// SPDX-License-Identifier: Apache-2.0
// The papers compare their searches with these, and with learned ones (N-A2C, TVM's cost model).
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Measures all valid points in mixed radix, the first coordinate fastest, without repetitions.
void grid_search(const StrategySpace& space, SearchSession& session);

struct GeneticOptions {
  int population = 100;
  int elite = 3;               ///< So many pass into the next generation as they are.
  double redraw_chance = 0.1;  ///< Each parameter has it.
  std::uint64_t seed = 1;
};

/// Chooses parents proportionally to speed and crosses them over at one parameter.
void genetic_search(const StrategySpace& space, SearchSession& session,
                    const GeneticOptions& options = {});

struct AnnealingOptions {
  double temperature = 0.5;  ///< It falls linearly to 0 over the budget.
  std::uint64_t seed = 1;
};

/// Redraws one random parameter, accepts with min(1, exp(-ln(t_new / t_cur) / T)).
void annealing_search(const StrategySpace& space, SearchSession& session,
                      const AnnealingOptions& options = {});

struct GbfsOptions {
  SpacePoint origin;  ///< Coordinates outside chains stay at its values.
  int branches = 5;   ///< A point that is expanded draws so many moves.
  std::uint64_t seed = 1;
};

/// Expands the fastest point that was not expanded yet. Requires: the origin is valid.
void gbfs_search(const StrategySpace& space, SearchSession& session, const GbfsOptions& options);

}  // namespace tileplan
