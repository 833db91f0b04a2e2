// SPDX-License-Identifier: Apache-2.0
// This file finds unknown words of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tileplan {

/// Throws Error for the first word of `arguments` that is unknown: a word in the place of a verb of
/// `app`, or an option of the verb. Options of verbs that pass their arguments on are not checked.
void check_words(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace tileplan
