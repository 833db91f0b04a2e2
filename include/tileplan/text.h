// SPDX-License-Identifier: Apache-2.0
// These functions convert plans to text and JSON, format tables, numbers and lines, and check
// words.
#pragma once

#include <string>
#include <vector>

#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Describes how text is printed to a terminal or a file.
struct TextStyle {
  int width = 0;        ///< Gives the number of columns of a line. With 0, lines are not wrapped.
  bool colour = false;  ///< Tells whether ANSI escapes for colours and bold type are printed.
};

/// Returns the table of candidates, the certificate and the reasons for rejections.
std::string to_text(const Plan& plan, TextStyle style = {});

/// Returns the JSON document that `tileplan plan --json` prints.
std::string to_json(const Plan& plan);

/// Throws Error when `word` is not in `known`. The message calls `word` an unknown `what`. It
/// suggests one or two similar known words, or --help if none is similar.
void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known);

/// Throws Error as require_known() does for the first of `arguments` that is an option, such as
/// "--threads=2", and whose name is not in `known`. Options end at "--". The message calls the
/// option one of `command`.
void require_known_options(const std::string& command, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& known);

/// Returns a table of `rows`, the first of which holds the headings. Columns whose last entry
/// starts with a digit are flush right. Requires at least one row, and rows of equal length.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Returns aligned() of `rows`. If a line would be wider than `style`, long headings are broken
/// into several lines.
std::string table_text(const std::vector<std::vector<std::string>>& rows, TextStyle style);

/// Returns the table `rows` without its last column, whose entries are wrapped below their rows.
/// Requires at least one row, and a width in `style` that is not 0.
std::string narrow_table(const std::vector<std::vector<std::string>>& rows, TextStyle style);

/// Returns `text` broken at blanks into lines of at most `width` columns; a longer word has its own
/// line. The first line starts with `first` blanks, the other lines with `indent` blanks.
std::string wrapped(const std::string& text, int width, std::size_t first, std::size_t indent);

/// Wraps each line of `text` to the width in `style`. With width 0, returns `text` unchanged.
std::string fitted(const std::string& text, TextStyle style);

/// Returns "1.234 s", "1.234 ms" or "56.7 us", and "12.3 ns" between zero and a microsecond.
std::string format_seconds(double seconds);

/// Returns `value` with three significant digits and a prefix, or all digits if it is a whole
/// number below 1000: "123 us", "12.3 MB", "5 B".
std::string with_prefix(double value, const std::string& unit);

/// Returns `text` as a message for a terminal, on one line. Blanks replace line feeds. Question
/// marks replace bytes that are no UTF-8 and, except for tabs, other control characters. The middle
/// is left out beyond 600 bytes.
std::string message_line(const std::string& text);

/// Returns `value` with `digits` digits after the decimal point.
std::string fixed(double value, int digits);

}  // namespace tileplan
