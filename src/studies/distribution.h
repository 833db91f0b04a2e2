// SPDX-License-Identifier: Apache-2.0
// The study `distribution`: how good random schedules are, and where the model's stand among them.
#pragma once

#include "search_study.h"

namespace tileplan {

/// Share of `all` that is slower than `seconds`. Requires: `all` not empty.
double share_slower(const std::vector<double>& all, double seconds);

/// `options.measurements` random schedules of each layer, drawn as "Autotuning Convolutions is
/// Easier Than You Think" does, and the model's first ten. Writes distribution.csv,
/// distribution-LAYER.svg (x = share of peak, y = share of the draws above it) and summary.txt.
/// Ends early, with what there is, when request_stop() was called. Requires: `machine` is this
/// host.
void study_distribution(const Machine& machine, const SearchStudyOptions& options,
                        const std::function<void(const std::string&)>& say);

}  // namespace tileplan
