// SPDX-License-Identifier: Apache-2.0
// This file keeps the request to stop in a lock-free atomic flag, which signal handlers may set and
// all threads may read.

#include <atomic>

#include "tileplan/verify.h"

namespace tileplan {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may only use such");

}  // namespace

void request_stop() { stop = true; }

void clear_stop() { stop = false; }

bool stop_requested() { return stop; }

}  // namespace tileplan
