// SPDX-License-Identifier: Apache-2.0
// Keeps every finished measurement in a SQLite database that several processes may write.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct sqlite3;

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

/// Fields that must be equal; empty ones match everything.
struct RecordFilter {
  std::string problem = {}, schedule = {}, machine = {}, regime = {}, version = {};
  std::string since = {};  ///< taken at this time or later
};

/// An open database. It waits for writes of other processes; those of killed ones are undone.
class Records {
 public:
  /// Opens or creates the file and its folders. Throws Error when it is not such a database.
  explicit Records(const std::string& path);

  /// Adds `records` in one transaction and returns how many were new.
  std::size_t add(std::span<const Record> records);

  /// Returns the records that match, oldest first, then by problem and schedule.
  std::vector<Record> find(const RecordFilter& filter = {}) const;

  /// Adds the records of the database `other` that are missing here, and returns their number.
  std::size_t merge(const std::string& other);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Returns the path of records.db beside the calibration. Throws Error as machine_cache_path.
std::string records_path();

/// Returns the time `seconds_ago` before now, as Record::taken has it.
std::string utc_time(double seconds_ago = 0);

}  // namespace tileplan
