// SPDX-License-Identifier: Apache-2.0
// This file escapes names from files in tables and pages, so that spreadsheets and browsers do not
// execute them.
#pragma once

#include <string>
#include <string_view>

namespace tileplan {

/// Returns true for text that a spreadsheet would take for a formula. Numbers without a leading
/// plus sign are not formulas.
bool is_formula(std::string_view text);

/// Returns `text` as a field of CSV, in double quotes where necessary. An apostrophe is put before
/// text that a spreadsheet would take for a formula; numbers such as -1.5 are not changed.
std::string csv_field(std::string_view text);

/// Returns `text` as one line of Markdown: `<` becomes `&lt;`, so that no HTML tag begins, and
/// blanks replace line breaks.
std::string markdown_line(std::string_view text);

/// Returns `text` between backticks, or markdown_line(text) if `text` has backticks or line breaks.
std::string markdown_code(std::string_view text);

/// Returns `text` as a block of code, whose fence is longer than all runs of backticks in `text`.
std::string markdown_block(std::string_view text);

}  // namespace tileplan
