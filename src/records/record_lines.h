// SPDX-License-Identifier: Apache-2.0
// This header names the parts of records that files and the database share.
#pragma once

#include <array>
#include <utility>

#include "tileplan/records.h"

namespace tileplan {

/// Lists the fields before `samples` in the order in which files and databases hold them.
inline constexpr std::array<std::pair<const char*, std::string Record::*>, 6> kRecordKeys{
    {{"problem", &Record::problem},
     {"schedule", &Record::schedule},
     {"machine", &Record::machine},
     {"regime", &Record::regime},
     {"version", &Record::version},
     {"taken", &Record::taken}}};

/// Returns a text like "[0.00123,0.00124]", which has enough digits to restore each number exactly.
std::string samples_text(const std::vector<double>& samples);
/// Reads the text of samples_text. Throws Error when `text` is no such list.
std::vector<double> parse_samples(const std::string& text);

/// Returns the time `seconds_ago` before now in the form of Record::taken.
std::string utc_time(double seconds_ago = 0);

}  // namespace tileplan
