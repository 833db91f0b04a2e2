// SPDX-License-Identifier: Apache-2.0
// Measures the fastest schedules of a search once more, side by side: the smallest of many noisy
// times flatters its schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

struct RemeasureOptions {
  std::string records;  ///< database; what it holds of the same schedules is not measured again
  std::string version;  ///< of the program and the study
  int samples = 15;     ///< undisturbed ones of each: medians within about 1 %
  double budget_seconds = 10;
  std::uint64_t seed = 1;  ///< of the operands and the order of the rounds
};

/// Returns undisturbed samples of each schedule in seconds, taken in turns, in this process: they
/// must have run before. Schedules without a sample are left out. Hot caches, one thread. Requires:
/// `machine` is this host.
std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const RemeasureOptions& options);

/// Returns the median of each.
std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const RemeasureOptions& options);

}  // namespace tileplan
