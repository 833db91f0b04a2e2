// SPDX-License-Identifier: Apache-2.0
// Tables for terminals have coloured words and lines of limited width.
#pragma once

#include "tileplan/text.h"

namespace tileplan {

/// Returns `text` between the ANSI escapes of `code`, such as "31" for red, if `style` has colours.
std::string coloured(const std::string& text, const char* code, TextStyle style);

/// Returns `text` in lines of at most `width` columns, of which the first starts with `first`
/// blanks and the others with `indent`. Lines break at blanks; a longer word has a line of its own.
std::string wrapped(const std::string& text, int width, std::size_t first, std::size_t indent);

/// Wraps each line of `text` if the terminal has a width.
std::string fitted(const std::string& text, TextStyle style);

}  // namespace tileplan
