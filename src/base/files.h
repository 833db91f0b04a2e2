// SPDX-License-Identifier: Apache-2.0
// Files are replaced as a whole: a reader gets the old content or the new, never a part.
#pragma once

#include <string>

#include "tileplan/file.h"

namespace tileplan {

/// Throws Error when something that is no regular file is at `path`: a folder, a device, a pipe.
void require_replaceable(const std::string& path);

/// Replaces the file at `path`, or what it links to, atomically. A link to nothing is followed, and
/// missing folders are made. Throws Error as require_replaceable does, or with the path, the failed
/// step and the reason.
void atomic_write(const std::string& path, const std::string& content);

}  // namespace tileplan
