// SPDX-License-Identifier: Apache-2.0
// This file explains the short words of schedules and of the search in reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tileplan {

/// Returns the words of `text` that the legend explains, which are loops and marks of schedules and
/// rules of the search, in a fixed order, each with its meaning. The words are written as in
/// `text`, such as "ahead=". The meaning of L( has the first such loop of `text` as its example.
std::vector<std::pair<std::string, std::string>> legend_of(const std::string& text);

/// Returns a line such as "ahead= names the loop, ..." for each word of legend_of(text).
std::string legend_text(const std::string& text);

}  // namespace tileplan
