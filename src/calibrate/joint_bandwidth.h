// SPDX-License-Identifier: Apache-2.0
// This file measures how fast several cores load from memory together.
#pragma once

#include <cstdint>

#include "tileplan/machine.h"

namespace tileplan {

/// Returns the bytes per second that all cores which share the last cache of `machine` load
/// together from `bytes` bytes of memory, the best of three rounds. Returns 0 when no cores share
/// this cache or there is no cache. Requires that the calling thread may run on all cores, because
/// the threads that measure inherit its cores.
double joint_load_rate(const Machine& machine, std::int64_t bytes);

}  // namespace tileplan
