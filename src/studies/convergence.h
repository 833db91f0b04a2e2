// SPDX-License-Identifier: Apache-2.0
// The study `convergence`: how many measurements each strategy needs for a good schedule.
#pragma once

#include <optional>

#include "search_study.h"

namespace tileplan {

/// Measurements until a course had a schedule within `share` of `best_seconds` (0.95: at most
/// best / 0.95); nothing when it never had.
std::optional<int> measurements_to(const SearchCourse& course, double best_seconds, double share);

/// Median over the courses of one strategy, those that never had one counting as infinite.
std::optional<double> median_measurements(const std::vector<SearchCourse>& courses,
                                          const std::string& strategy, double best_seconds,
                                          double share);

/// All strategies on each layer. Writes convergence.csv (each improvement), convergence-LAYER.svg
/// and summary.txt layer by layer. Ends early, with what there is, when request_stop() was called.
/// Requires: `machine` is this host.
void study_convergence(const Machine& machine, const SearchStudyOptions& options,
                       const std::function<void(const std::string&)>& say);

}  // namespace tileplan
