// SPDX-License-Identifier: Apache-2.0
// Replaces a file as a whole: a reader sees the old content or the new, never a part.
#pragma once

#include <string>

namespace tileplan {

/// Writes `content` to a temporary file in the folder of `path`, flushes it to the disk and renames
/// it to `path`. Makes missing folders; leaves no temporary file behind. Throws Error: the path,
/// what failed, and the reason that the system gives.
void atomic_write(const std::string& path, const std::string& content);

}  // namespace tileplan
