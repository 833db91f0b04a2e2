// SPDX-License-Identifier: Apache-2.0
// The study `combinations`: random schedules of one register tile against those of two.
#pragma once

#include "search_study.h"

namespace tileplan {

/// `options.measurements` draws of each layer (random_sample.h), split into those with one
/// microkernel and those that combine two. As study_kinds().
void study_combinations(const Machine& machine, const SearchStudyOptions& options,
                        const std::function<void(const std::string&)>& say);

}  // namespace tileplan
