// SPDX-License-Identifier: Apache-2.0
// This file measures how fast several cores load from memory together.
#pragma once

#include <cstdint>

#include "tileplan/machine.h"

namespace tileplan {

/// Returns the bytes per second that the cores of the last cache of `machine` load together from
/// `bytes` bytes, or 0 when no cores share it. Requires that the calling thread may run on all
/// cores, because the threads that measure inherit its cores.
double joint_load_rate(const Machine& machine, std::int64_t bytes);

}  // namespace tileplan
