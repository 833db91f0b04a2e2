// SPDX-License-Identifier: Apache-2.0
// Files are replaced as a whole: a reader gets the old content or the new, never a part.
#pragma once

#include <string>

namespace tileplan {

/// Returns the content of the file. Throws Error with the reason and `kind`, e.g. "a schedule".
std::string read_file(const std::string& path, const char* kind);

/// Throws Error when something that is no regular file is at `path`: a folder, a device, a pipe.
void require_replaceable(const std::string& path);

/// Replaces the file at `path`, or what it links to, atomically. Missing folders are made. Throws
/// Error as require_replaceable does, or with the path, the failed step and the reason.
void atomic_write(const std::string& path, const std::string& content);

}  // namespace tileplan
