// SPDX-License-Identifier: Apache-2.0
// Keeps every finished measurement in a SQLite database that several processes may write.
#pragma once

#include <memory>
#include <span>

#include "record.h"

struct sqlite3;

namespace tileplan {

/// Selects the records whose fields equal these; empty fields match everything.
struct RecordFilter {
  std::string problem = {}, schedule = {}, machine = {}, regime = {}, version = {};
  std::string since = {};  ///< Records taken before this time are left out.
};

/// Holds an open database. It waits for writes of other processes; those of killed ones are undone.
/// Every function throws Error with the path when SQLite cannot read or write the file.
class Records {
 public:
  /// Opens or creates the file and its folders. Throws Error when it is not such a database, and
  /// leaves the file unchanged then.
  explicit Records(const std::string& path);

  /// Adds `records` in one transaction and returns how many were new. A record is left out when its
  /// keys and `taken` equal those of a stored one.
  std::size_t add(std::span<const Record> records);

  /// Returns the records that match, oldest first, then by problem and schedule.
  std::vector<Record> find(const RecordFilter& filter = {}) const;

  /// Adds the records of the database `other` that are missing here, and returns their number.
  /// Throws Error when there is no such file.
  std::size_t merge(const std::string& other);

 private:
  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

/// Returns the path of records.db in the folder of machine_cache_path. Throws Error as it does.
std::string records_path();

/// Returns the time `seconds_ago` before now in the form of Record::taken.
std::string utc_time(double seconds_ago = 0);

}  // namespace tileplan
