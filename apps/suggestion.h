// SPDX-License-Identifier: Apache-2.0
// This file finds the wrong words of a command line, and the words that were probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tileplan {

/// Throws Error when `word`, which is a `what`, is not in `known`. The message names `word` and the
/// most similar member.
void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known);

/// Throws Error for the first word of `arguments` that is neither a verb of `app` where a verb must
/// stand, nor an option of the verb. Options of verbs that pass their arguments on are not checked.
void check_words(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace tileplan
