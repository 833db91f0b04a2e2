// SPDX-License-Identifier: Apache-2.0
// This file measures all that the study of the GEMM family compares for one product.
#pragma once

#include "gemm_rows.h"
#include "study.h"

namespace tileplan {

/// Returns the rows of `shape`. `peers` are names of libraries that can be compared, and `peak` is
/// the flop/s of one core. Requires that the calling thread is not pinned.
std::vector<GemmRow> measure_gemm_family(const GemmShape& shape, const Machine& machine,
                                         const StudyOptions& options,
                                         const std::vector<std::string>& peers, double peak);

}  // namespace tileplan
