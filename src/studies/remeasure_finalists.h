// SPDX-License-Identifier: Apache-2.0
// The fastest schedules of a search measured once more, side by side: of many noisy times the
// smallest flatters its schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

struct SecondLookOptions {
  std::string records;  ///< database; a look at the same schedules that it holds is not repeated
  std::string version;  ///< of the program and the study
  int samples = 15;     ///< undisturbed ones of each: medians within about 1 %
  double budget_seconds = 10;
  std::uint64_t seed = 1;  ///< of the operands and the order of the rounds
};

/// Undisturbed samples of each schedule in seconds, taken in turns, in this process: they must have
/// run before. Those without a sample are left out. Hot caches, one thread. Requires: `machine` is
/// this host.
std::map<std::string, std::vector<double>> second_look_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const SecondLookOptions& options);

/// The median of each.
std::map<std::string, double> second_look(const Problem& problem, const Machine& machine,
                                          const std::vector<std::string>& schedules,
                                          const SecondLookOptions& options);

}  // namespace tileplan
