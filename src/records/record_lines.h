// SPDX-License-Identifier: Apache-2.0
// This file declares the parts of records that files and the database share.
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "tileplan/records.h"

namespace tileplan {

/// Lists the fields of a record before `samples`, in their order in files and in the database.
inline constexpr std::array<std::pair<const char*, std::string Record::*>, 6> kRecordKeys{
    {{"problem", &Record::problem},
     {"schedule", &Record::schedule},
     {"machine", &Record::machine},
     {"regime", &Record::regime},
     {"version", &Record::version},
     {"taken", &Record::taken}}};

/// Returns the object that a line of to_json_lines() holds.
nlohmann::ordered_json record_document(const Record& record);
/// Returns the record in a line of JSON. Throws Error with the rule, and with the field where one
/// is wrong.
Record parse_record(const std::string& line);

/// Calls `take` for each line that is not empty. If `take` throws Error, puts `origin` and the
/// number of the line in front of the message.
void for_each_line(const std::string& text, const std::string& origin,
                   const std::function<void(const std::string&)>& take);

/// Returns a text such as "[0.00123,0.00124]", whose digits restore each number exactly.
std::string samples_text(const std::vector<double>& samples);
/// Parses a text of samples_text. Throws Error when `text` is not such a list.
std::vector<double> parse_samples(const std::string& text);

/// Returns the current time minus `seconds_ago`, formatted as Record::taken.
std::string utc_time(double seconds_ago = 0);

}  // namespace tileplan
