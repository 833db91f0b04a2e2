// SPDX-License-Identifier: Apache-2.0
// Plans as text and JSON, and the tables and numbers that they are made of.
#pragma once

#include <string>
#include <vector>

#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// How text is laid out for a reader.
struct TextStyle {
  int width = 0;        ///< columns of the terminal, into which schedules are wrapped; 0: no limit
  bool colour = false;  ///< uses ANSI colours and bold type
};

/// Returns the table of candidates, the certificate and the reasons of rejections.
std::string to_text(const Plan& plan, TextStyle style = {});

/// Returns the JSON document that `tileplan plan --json` prints.
std::string to_json(const Plan& plan);

/// Returns `rows`, of which the first holds the headings, in columns of equal width. Columns whose
/// last entry starts with a digit are flush right. Requires rows of equal length.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Returns "1.234 s", "1.234 ms" or "56.7 us", and "12.3 ns" below 50 ns.
std::string format_seconds(double seconds);

/// Returns `value` with three significant digits and a prefix: "123 us", "12.3 MB", "0 B".
std::string with_prefix(double value, const std::string& unit);

/// Returns `value` with `digits` behind the point.
std::string fixed(double value, int digits);

}  // namespace tileplan
