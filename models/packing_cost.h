// SPDX-License-Identifier: Apache-2.0
// This function estimates how much longer copying operands into packed boxes takes than the traffic
// of the copies: models/README.md eq. (R).
#pragma once

#include "link_flows.h"

namespace tileplan {

/// Returns the seconds by which packing all operands that the marks name takes longer than its
/// traffic on the link into the innermost cache. Callers multiply the result by the share of the
/// busiest core. The result is 0 without caches.
double packing_seconds(const ResolvedSchedule& resolved);

}  // namespace tileplan
