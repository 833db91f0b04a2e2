// SPDX-License-Identifier: Apache-2.0
// This file extends the certificate of direct schedules to Winograd convolutions.
#pragma once

#include "winograd_search.h"

namespace tileplan {

/// Adds the algorithms of `found` to `direct`, whose space is empty when no direct schedules were
/// searched, and returns the result. The optimum is the least optimum of the algorithms that were
/// searched, and the bound is the least bound of all algorithms. Requires direct schedules or at
/// least one algorithm.
Certificate with_winograd(Certificate direct, const WinogradResults& found);

}  // namespace tileplan
