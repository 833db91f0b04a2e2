// SPDX-License-Identifier: Apache-2.0
// Reads and replaces files as a whole: a reader sees the old content or the new, never a part.
#pragma once

#include <string>

namespace tileplan {

/// Returns the content of the file at `path`. Throws Error with the system's reason and with
/// `kind`, which says what the file must be, e.g. "a machine file".
std::string read_file(const std::string& path, const char* kind);

/// Throws Error when something that is no regular file is at `path`: a folder, a device, a pipe.
void require_replaceable(const std::string& path);

/// Writes `content` to a temporary file in the folder of `path`, flushes it to the disk and renames
/// it to `path`, or to what `path` points to when it is a symbolic link. Makes missing folders and
/// leaves no temporary file behind. Throws Error as require_replaceable does, and with the path,
/// the step that failed, and the reason that the system gives.
void atomic_write(const std::string& path, const std::string& content);

}  // namespace tileplan
