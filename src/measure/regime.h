// SPDX-License-Identifier: Apache-2.0
// This file determines which data is in the caches when a measured kernel begins.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

using Bytes = std::span<const std::byte>;

/// Returns the memory that must not be in the caches when a run in `regime` begins: nothing,
/// `weights`, or both arguments.
std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> activations);

/// Returns a function that puts the caches into the state in which a run in `regime` begins, or an
/// empty function for hot caches. The function evicts `cold` from all caches of all cores or, for
/// the regime `network`, reads `others`, which must have Regime::bytes bytes.
std::function<void()> preparation(Regime regime, std::vector<Bytes> cold, Bytes others);

}  // namespace tileplan
