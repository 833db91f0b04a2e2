// SPDX-License-Identifier: Apache-2.0
// Declares one measured candidate as it is stored.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tileplan {

/// One measured candidate. The keys are readable text.
struct Record {
  std::string problem = {};   ///< as to_string(Problem) writes it, and the epilogue behind it
  std::string schedule = {};  ///< as to_string(Schedule) writes it
  std::string machine = {};   ///< name, cpuid signature, threads if several
  std::string regime = {};    ///< "hot"
  std::string version = {};   ///< of the program, with its commit
  std::string taken = {};     ///< UTC, "2026-11-21T13:05:00.123456Z"
  std::vector<double> samples = {};  ///< seconds, undisturbed ones only
  std::string failure = {};          ///< why there are no samples

  bool operator==(const Record&) const = default;
};

/// The fields in front of `samples`, in the order in which files and databases hold them.
inline constexpr std::array<std::pair<const char*, std::string Record::*>, 6> kRecordKeys{
    {{"problem", &Record::problem},
     {"schedule", &Record::schedule},
     {"machine", &Record::machine},
     {"regime", &Record::regime},
     {"version", &Record::version},
     {"taken", &Record::taken}}};

}  // namespace tileplan
