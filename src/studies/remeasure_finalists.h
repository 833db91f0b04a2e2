// SPDX-License-Identifier: Apache-2.0
// Measures the fastest schedules of a search side by side: the smallest of many noisy times
// flatters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "study.h"

namespace tileplan {

struct RemeasureOptions {
  std::string records;  ///< database; what it holds of the same schedules is not measured again
  std::string version;  ///< of the program and the study
  int samples = 15;     ///< undisturbed ones of each: medians within about 1 %
  double budget_seconds = 10;
  std::uint64_t seed = 1;  ///< of the operands and the order of the rounds
};

/// Returns the options of a study for a `round` of measurements in `share` of its budget.
RemeasureOptions remeasure_options(const StudyOptions& options, const std::string& round,
                                   double share);

/// Returns undisturbed samples in seconds, taken in turns, without schedules that have none.
/// Requires: all have run before, and `machine` is this host.
std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const RemeasureOptions& options);

std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const RemeasureOptions& options);

}  // namespace tileplan
