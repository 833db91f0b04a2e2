// SPDX-License-Identifier: Apache-2.0
// The study `divisibility`: tiles that divide the extents against uneven ones.
#pragma once

#include "search_study.h"

namespace tileplan {

/// Of each layer the model's first ten schedules whose tiles all divide, its first ten with an
/// uneven loop at some level, and up to `options.measurements` random draws of both. As
/// study_kinds().
void study_divisibility(const Machine& machine, const SearchStudyOptions& options,
                        const std::function<void(const std::string&)>& say);

}  // namespace tileplan
