// SPDX-License-Identifier: Apache-2.0
// Keeps every finished measurement in a SQLite database that several processes may write.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "record.h"

struct sqlite3;

namespace tileplan {

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
