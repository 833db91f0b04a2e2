// SPDX-License-Identifier: Apache-2.0
// Measures the fastest schedules again in turns, because the smallest of many noisy times is lucky.
#pragma once

#include "study.h"

namespace tileplan {

/// Returns the options of a study for a `round` of measurements with 15 samples, whose medians are
/// within about 1 %.
LayerSearchOptions remeasure_options(const StudyOptions& options, const std::string& round,
                                     double budget_seconds);

/// Returns undisturbed samples in seconds, taken in turns, without schedules that have none. It
/// measures nothing when the records hold all schedules. Requires: all have run before, and
/// `machine` is this host.
std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const LayerSearchOptions& options);

/// Returns the medians of remeasure_samples.
std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const LayerSearchOptions& options);

}  // namespace tileplan
