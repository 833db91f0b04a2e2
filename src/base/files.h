// SPDX-License-Identifier: Apache-2.0
// These functions replace files atomically, so that a reader gets the old content or the new
// content, and refuse paths that cannot be replaced.
#pragma once

#include <string>

#include "tileplan/file.h"

namespace tileplan {

/// Throws Error when `path` exists and is no regular file but, for example, a folder or a pipe.
void require_replaceable(const std::string& path);

/// Replaces the file at `path`, or the file that it links to, atomically. The target of a link need
/// not exist, and missing folders are created. The permissions of an old file stay, and a new file
/// is readable by all. Throws Error as require_replaceable does, or with the path, the failed step
/// and the reason.
void atomic_write(const std::string& path, const std::string& content);

}  // namespace tileplan
