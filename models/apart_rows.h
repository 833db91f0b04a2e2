// SPDX-License-Identifier: Apache-2.0
// Rows of weights that register tiles read in place evict each other and lie in many pages:
// models/README.md eq. (I).
#pragma once

#include "link_flows.h"

namespace tileplan {

/// Returns the additional time on one core for reading weights in place instead of packed ones.
double apart_rows_seconds(const ResolvedSchedule& resolved);

/// Returns the additional time on one core of rows in place that come from beyond the second cache
/// when the innermost loop over columns outside calls reads the next columns only after many other
/// rows. The marks for prefetches do not change it.
double returned_rows_seconds(const ResolvedSchedule& resolved);

}  // namespace tileplan
