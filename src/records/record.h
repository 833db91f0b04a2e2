// SPDX-License-Identifier: Apache-2.0
// Declares one measured candidate as it is stored.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tileplan {

/// Stores one measured candidate. The keys are readable text.
struct Record {
  std::string problem = {};          ///< to_string(Problem) writes it; an epilogue may follow.
  std::string schedule = {};         ///< to_string(Schedule) writes it.
  std::string machine = {};          ///< record_machine writes it; the threads may follow.
  std::string regime = {};           ///< It is "hot", for example.
  std::string version = {};          ///< It names the program and its commit.
  std::string taken = {};            ///< It is in UTC: "2026-11-21T13:05:00.123456Z".
  std::vector<double> samples = {};  ///< They are in seconds; disturbed ones are left out.
  std::string failure = {};          ///< It says why there are no samples.

  bool operator==(const Record&) const = default;
};

/// Lists the fields before `samples` in the order in which files and databases hold them.
inline constexpr std::array<std::pair<const char*, std::string Record::*>, 6> kRecordKeys{
    {{"problem", &Record::problem},
     {"schedule", &Record::schedule},
     {"machine", &Record::machine},
     {"regime", &Record::regime},
     {"version", &Record::version},
     {"taken", &Record::taken}}};

}  // namespace tileplan
