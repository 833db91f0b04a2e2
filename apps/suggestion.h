// SPDX-License-Identifier: Apache-2.0
// This file finds unknown verbs and options of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tileplan {

/// Throws Error, with the most similar known words, for the first of `arguments` that stands in the
/// place of a verb of `app` or starts with "--", but is no verb or no option of the verb with which
/// `arguments` begin. Does not check the options of `study`, which another program parses.
void check_words(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace tileplan
