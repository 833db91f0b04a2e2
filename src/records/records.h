// SPDX-License-Identifier: Apache-2.0
// Every measurement that was finished, in a SQLite database that several processes may write.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct sqlite3;

namespace tileplan {

/// One measured candidate. Keys are readable text.
struct Record {
  std::string problem = {};  ///< descriptor as to_string(Problem) writes it; with an epilogue, that
  std::string schedule = {};         ///< as to_string(Schedule) writes it
  std::string machine = {};          ///< name, cpuid signature, threads if several
  std::string regime = {};           ///< "hot"
  std::string version = {};          ///< of the program, with its commit
  std::string taken = {};            ///< UTC, "2026-11-21T13:05:00.123456Z"
  std::vector<double> samples = {};  ///< seconds, undisturbed ones only
  std::string failure = {};          ///< why there are no samples

  bool operator==(const Record&) const = default;
};

/// Fields that must be equal; empty ones match everything.
struct RecordFilter {
  std::string problem = {}, schedule = {}, machine = {}, regime = {}, version = {};
  std::string since = {};  ///< taken at this time or later
};

/// An open database. Writes of other processes are waited for; a transaction that was begun when a
/// process was killed never happened.
class Records {
 public:
  /// Opens or creates the file and its folders. Throws Error when it is not such a database, and
  /// leaves it as it is then.
  explicit Records(const std::string& path);

  /// Adds `records` in one transaction, on disk when it returns; those that are there already
  /// (equal in all keys and `taken`) are left out. How many were new.
  std::size_t add(std::span<const Record> records);

  /// What matches, oldest first, then by problem and schedule.
  std::vector<Record> find(const RecordFilter& filter = {}) const;

  /// Adds what `other` holds and this does not. How many that were.
  std::size_t merge(const std::string& other);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// records.db beside the calibration in the user's cache folder. Throws Error as
/// machine_cache_path.
std::string records_path();

/// The present time as Record::taken has it; `seconds_ago` before it.
std::string utc_time(double seconds_ago = 0);

}  // namespace tileplan
