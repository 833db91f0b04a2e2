// SPDX-License-Identifier: Apache-2.0
// Reports explain the short words of schedules and searches that they contain.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tileplan {

/// Returns a meaning for each mark of a schedule and each rule of the search that `text` contains,
/// in a fixed order. The words are written as in `text`, such as "ahead=".
std::vector<std::pair<std::string, std::string>> legend_of(const std::string& text);

/// Returns a line "ahead= tells ..." for each word of legend_of(text).
std::string legend_text(const std::string& text);

}  // namespace tileplan
