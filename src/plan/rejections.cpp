// SPDX-License-Identifier: Apache-2.0
// A binary search finds the position of a reason, so the list stays sorted.
#include "rejections.h"

#include <algorithm>

namespace tileplan {

void reject(Plan& plan, const std::string& reason) {
  const auto place = std::ranges::lower_bound(plan.rejected, reason, {}, &Rejected::reason);
  if (place != plan.rejected.end() && place->reason == reason)
    ++place->count;
  else
    plan.rejected.insert(place, {.reason = reason, .count = 1});
}

}  // namespace tileplan
