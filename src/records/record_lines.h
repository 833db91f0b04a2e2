// SPDX-License-Identifier: Apache-2.0
// Writes and reads records as JSON lines, which people can read and other machines can import.
#pragma once

#include "record.h"

namespace tileplan {

/// Returns one line per record: {"problem": ..., "samples": [...], ...}.
std::string to_json_lines(const std::vector<Record>& records);

/// Reads the records back and skips empty lines. Throws Error with `origin`, the line's number, the
/// field and the rule.
std::vector<Record> parse_json_lines(const std::string& text, const std::string& origin);

/// Returns "[0.00123,0.00124]" with every digit.
std::string samples_text(const std::vector<double>& samples);
/// Reads the samples back. Throws Error that names `origin` when `text` is not such a list.
std::vector<double> parse_samples(const std::string& text, const std::string& origin);

}  // namespace tileplan
