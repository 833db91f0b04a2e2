// SPDX-License-Identifier: Apache-2.0
// Measures the fastest schedules again in turns, because the smallest of many noisy times is lucky.
#pragma once

#include "study.h"

namespace tileplan {

struct RemeasureOptions {
  std::string records;  ///< This database may hold all schedules, which are then not measured.
  std::string version;  ///< It names the program and the study.
  int samples = 15;     ///< So many undisturbed ones give medians within about 1 %.
  double budget_seconds = 10;
  std::uint64_t seed = 1;  ///< The operands and the order of the rounds depend on it.
};

/// Returns the options of a study for a `round` of measurements.
RemeasureOptions remeasure_options(const StudyOptions& options, const std::string& round,
                                   double budget_seconds);

/// Returns undisturbed samples in seconds, taken in turns, without schedules that have none.
/// Requires: all have run before, and `machine` is this host.
std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const RemeasureOptions& options);

/// Returns the medians of remeasure_samples.
std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const RemeasureOptions& options);

}  // namespace tileplan
