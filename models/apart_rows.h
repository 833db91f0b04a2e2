// SPDX-License-Identifier: Apache-2.0
// Rows of weights that register tiles read in place evict each other and lie in many pages:
// models/README.md eq. (I).
#pragma once

#include "link_flows.h"

namespace tileplan {

/// Returns the additional seconds for reading weights in place instead of packed ones, if one core
/// executes all calls.
double apart_rows_seconds(const ResolvedSchedule& resolved);

/// Returns the additional seconds, if one core executes all calls, for rows in place that come from
/// beyond the second cache because loops read the next columns of a row only after many other rows.
/// The marks for prefetches do not change the result.
double returned_rows_seconds(const ResolvedSchedule& resolved);

}  // namespace tileplan
