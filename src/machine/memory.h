// SPDX-License-Identifier: Apache-2.0
// What the operating system says about memory.
#pragma once

#include <cstddef>

namespace tileplan {

/// Bytes that programs can still get without swapping (MemAvailable of /proc/meminfo); 0 when the
/// system does not tell.
std::size_t available_memory();

}  // namespace tileplan
