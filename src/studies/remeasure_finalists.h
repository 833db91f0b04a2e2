// SPDX-License-Identifier: Apache-2.0
// This file measures the fastest schedules again, because the minimum of many noisy times is
// biased.
#pragma once

#include "study.h"

namespace tileplan {

/// Returns options for measurements of 15 samples, whose medians are reliable within about 1 %.
/// `round` names these measurements in the records.
LayerSearchOptions remeasure_options(const StudyOptions& options, const std::string& round,
                                     double budget_seconds);

/// Returns the valid samples, in seconds, of each schedule that has any. The schedules are sampled
/// in turns. Nothing is measured when the records hold samples of all schedules. Requires that all
/// schedules have run before, and `machine` is this host.
std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const LayerSearchOptions& options);

/// Returns the median, in seconds, of the samples that remeasure_samples() returns per schedule.
std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const LayerSearchOptions& options);

}  // namespace tileplan
