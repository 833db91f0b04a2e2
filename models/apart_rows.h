// SPDX-License-Identifier: Apache-2.0
// These functions estimate the time that a core loses because rows of weights that register tiles
// read in place evict each other or lie in many pages: models/README.md eq. (I).
#pragma once

#include "link_flows.h"

namespace tileplan {

/// Returns the additional seconds for loading rows of weights in place into the first cache, if one
/// core executes all calls. Rows evict each other, their addresses are translated page by page, and
/// calls prefetch cache lines beyond their last row. The result is 0 when vectors hold pixels, and
/// without weights in place or without caches.
double apart_rows_seconds(const ResolvedSchedule& resolved);

/// Returns the additional seconds, if one core executes all calls, for rows in place that come from
/// beyond the second cache because loops read the next columns of a row only after many other rows.
/// The result is 0 when vectors hold pixels, without weights in place, with fewer than three
/// caches, when the data of the run stay in the second one (ResolvedSchedule::stays_in), or when no
/// loop around a call steps over columns. The marks for prefetches do not change the result.
double returned_rows_seconds(const ResolvedSchedule& resolved);

}  // namespace tileplan
