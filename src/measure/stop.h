// SPDX-License-Identifier: Apache-2.0
// Tells whether request_stop() of tileplan/verify.h was called.
#pragma once

namespace tileplan {

/// Returns true from request_stop() to the next clear_stop().
bool stop_requested();

}  // namespace tileplan
