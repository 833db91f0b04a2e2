// SPDX-License-Identifier: Apache-2.0
// Records as JSON lines, to look at, to keep, and to bring to another machine.
#pragma once

#include <string>
#include <vector>

#include "records.h"

namespace tileplan {

/// One line per record, with a line break after each: {"problem": ..., "samples": [...], ...}.
std::string to_json_lines(const std::vector<Record>& records);

/// parse_json_lines(to_json_lines(r), "") == r. Empty lines are skipped. Throws Error with
/// `origin`, the line's number, the field and the rule.
std::vector<Record> parse_json_lines(const std::string& text, const std::string& origin);

/// "[0.00123,0.00124]", every digit kept.
std::string samples_text(const std::vector<double>& samples);
/// Throws Error naming `origin` when it is not such a list.
std::vector<double> parse_samples(const std::string& text, const std::string& origin);

}  // namespace tileplan
