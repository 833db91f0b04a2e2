// SPDX-License-Identifier: Apache-2.0
// These functions read and replace whole files.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Limits the bytes that read_file() reads unless it is given another limit. Among the files that
/// are read with this limit, exported records are the longest.
constexpr std::size_t kMostFileBytes = std::size_t{1} << 28;

/// Returns the content of the file. Throws Error with the reason and `kind`, such as "a machine
/// file", when the file cannot be read or has more than `most` bytes.
std::string read_file(const std::string& path, const char* kind, std::size_t most = kMostFileBytes);

/// Throws Error unless write_file() can be expected to succeed: the folder must exist and be
/// writable, and `path` must be free or a regular file. Throws Error too when `path` leads to the
/// same file as one of `inputs`, which may also hold texts that are no paths.
void require_writable(const std::string& path, std::initializer_list<std::string> inputs = {});

/// Replaces the file at `path`, or the file that it links to, atomically: a reader gets the old
/// content or the new one, never a mixture. Throws Error as require_writable() does, or with the
/// path, the failed step and the reason.
void write_file(const std::string& path, const std::string& text);

}  // namespace tileplan
