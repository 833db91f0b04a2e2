// SPDX-License-Identifier: Apache-2.0
// Whether somebody asked measurements to end: tileplan/verify.h, request_stop().
#pragma once

namespace tileplan {

/// True from request_stop() to the next clear_stop().
bool stop_requested();

}  // namespace tileplan
