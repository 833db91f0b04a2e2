// SPDX-License-Identifier: Apache-2.0
// Tells whether measurements were asked to end by request_stop() of tileplan/verify.h.
#pragma once

namespace tileplan {

/// Returns true from request_stop() to the next clear_stop().
bool stop_requested();

}  // namespace tileplan
