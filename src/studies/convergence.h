// SPDX-License-Identifier: Apache-2.0
// The study `convergence`: how many measurements each strategy needs for a good schedule.
#pragma once

#include "search_study.h"

namespace tileplan {

/// All strategies on each layer: the model's, and each other one with `options.measurements`
/// measurements at most; then a second look, side by side, at the best that each found.
/// `options.budget_seconds` are of the whole study, in even parts for the layers that are left;
/// within a layer in even parts for the searches of a seed, the first seed first; what searches
/// leave that end by themselves goes to those that were cut. A schedule that takes more than twice
/// the best of its search has one sample, all others three: a second look and the t-test of droplet
/// search decide between fast ones only. Writes
/// convergence.csv, convergence.svg (the median of all layers), convergence-LAYER.svg and
/// summary.txt layer by layer. With `options.resume`, layers whose searches are all complete keep
/// their rows; those that were cut go on where they were. Ends early, with what there is, when
/// request_stop() was called. Throws Error when the file to go on with is no such table. Requires:
/// `machine` is this host.
void study_convergence(const Machine& machine, const SearchStudyOptions& options,
                       const std::function<void(const std::string&)>& say);

}  // namespace tileplan
