// SPDX-License-Identifier: Apache-2.0
// Plan::rejected is sorted, so that equal plans print equal texts whatever the order of rejections.
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
