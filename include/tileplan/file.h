// SPDX-License-Identifier: Apache-2.0
// These functions read and replace files as a whole.
#pragma once

#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Returns the content of the file, which may have 256 MiB. Throws Error with the reason and
/// `kind`, e.g. "a machine file".
std::string read_file(const std::string& path, const char* kind);

/// Throws Error unless write_file() can be expected to succeed: the folder must exist and be
/// writable, and `path` must be free or a regular file.
void require_writable(const std::string& path);

/// Replaces the file at `path`, or the file that it links to, so that a reader sees the old content
/// or the new one and never a part. Throws Error as require_writable() does, or with the path, the
/// failed step and the reason.
void write_file(const std::string& path, const std::string& text);

}  // namespace tileplan
