// SPDX-License-Identifier: Apache-2.0
// Measures the fastest schedules again in turns, because the minimum of many noisy times is biased.
#pragma once

#include "study.h"

namespace tileplan {

/// Returns the options for a `round` of measurements with 15 samples; their medians are reliable
/// within about 1 %.
LayerSearchOptions remeasure_options(const StudyOptions& options, const std::string& round,
                                     double budget_seconds);

/// Returns the valid samples in seconds, taken in turns, of each schedule that has any. Nothing is
/// measured when the records hold all schedules. Requires that all schedules have run before and
/// that `machine` is this host.
std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const LayerSearchOptions& options);

/// Returns the medians of remeasure_samples.
std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const LayerSearchOptions& options);

}  // namespace tileplan
