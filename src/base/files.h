// SPDX-License-Identifier: Apache-2.0
// Files read and replaced as a whole: a reader sees the old content or the new, never a part.
#pragma once

#include <string>

namespace tileplan {

/// The content of the file at `path`. Throws Error with the system's reason and what it must be,
/// `kind`, e.g. "a machine file".
std::string read_file(const std::string& path, const char* kind);

/// Throws Error when something that is no regular file is at `path`: a folder, a device, a pipe.
void require_replaceable(const std::string& path);

/// Writes `content` to a temporary file in the folder of `path`, flushes it to the disk and renames
/// it to `path`; of a symbolic link, to what it points to. Makes missing folders; leaves no
/// temporary file behind. Throws Error as require_replaceable does, and with the path, what failed,
/// and the reason that the system gives.
void atomic_write(const std::string& path, const std::string& content);

}  // namespace tileplan
