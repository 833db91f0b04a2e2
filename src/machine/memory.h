// SPDX-License-Identifier: Apache-2.0
// Asks the operating system for available memory.
#pragma once

#include <cstddef>

namespace tileplan {

/// Returns the bytes that programs can get without swapping (MemAvailable of /proc/meminfo), or 0
/// when the system does not report them.
std::size_t available_memory();

}  // namespace tileplan
