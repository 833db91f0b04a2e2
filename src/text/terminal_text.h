// SPDX-License-Identifier: Apache-2.0
// These functions colour and wrap text for terminals.
#pragma once

#include <functional>

#include "tileplan/text.h"

namespace tileplan {

/// Returns `text` in the colour of the ANSI code `code` (such as "31" for red) if `style` has
/// colours, and unchanged otherwise.
std::string coloured(const std::string& text, const char* code, TextStyle style);

/// Returns the table `rows` with the entries of its last column wrapped below their rows, and
/// without the heading of this column. No line is wider than the terminal if the other columns and
/// every word fit. `paint` adds colours to the line of a row other than the heading, which is row
/// 0. Requires at least one row, and a width in `style` that is not 0.
std::string narrow_table(
    std::vector<std::vector<std::string>> rows, TextStyle style,
    const std::function<std::string(std::size_t row, const std::string& line)>& paint);

}  // namespace tileplan
