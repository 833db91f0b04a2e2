// SPDX-License-Identifier: Apache-2.0
// Records keep finished measurements in a database, so that no schedule is measured twice.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tileplan/plan.h"
#include "tileplan/visibility.h"

struct sqlite3;

namespace TILEPLAN_PUBLIC tileplan {

/// One measured candidate. The keys are readable text.
struct Record {
  std::string problem = {};          ///< as to_string(Problem) writes it, with the epilogue
  std::string schedule = {};         ///< as to_string(Schedule) writes it
  std::string machine = {};          ///< name, cpuid signature, and threads if several
  std::string regime = {};           ///< "hot"
  std::string version = {};          ///< of the program, with its commit
  std::string taken = {};            ///< UTC time, "2026-11-21T13:05:00.123456Z"
  std::vector<double> samples = {};  ///< seconds of undisturbed samples
  std::string failure = {};          ///< why there are no samples

  bool operator==(const Record&) const = default;
};

/// Returns the median of the samples. Requires at least one.
double median_seconds(const Record& record);

/// The fields that must be equal. Empty ones match everything.
struct RecordFilter {
  std::string problem = {}, schedule = {}, machine = {}, regime = {}, version = {};
  std::string since = {};  ///< taken at this UTC time or later, such as 2026-11-21
};

/// Receives one line, which names the file and the row, about each row that is malformed.
using WarnOfRow = std::function<void(const std::string& line)>;

/// An open SQLite database, which several processes may write. It waits for writes of other
/// processes, and undoes those of killed ones.
class Records {
 public:
  /// Opens or creates the file and its folders. Throws Error when it is not such a database.
  explicit Records(const std::string& path);

  /// Adds `records` in one transaction and returns how many were new. A record is left out when its
  /// keys and `taken` equal those of a stored one. Throws Error.
  std::size_t add(std::span<const Record> records);

  /// Returns the records that match, oldest first, then by problem and schedule. Rows with texts
  /// that are no UTF-8, or without a list of seconds, are left out; without `warn` the first of
  /// them throws Error.
  std::vector<Record> find(const RecordFilter& filter = {}, const WarnOfRow& warn = {}) const;

  /// Adds the records of the database `other` that are missing here, and returns their number.
  /// Throws Error when there is no such file. Malformed rows count as in find().
  std::size_t merge(const std::string& other, const WarnOfRow& warn = {});

 private:
  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

/// Returns the path of records.db beside the calibration. Throws Error as machine_cache_path()
/// does.
std::string records_path();

/// Returns one line of JSON per record: {"problem": ..., "samples": [...], ...}.
std::string to_json_lines(const std::vector<Record>& records);

/// Returns the records of such lines. Throws Error with `origin` (the file), the number of the
/// line, the field and the rule.
std::vector<Record> parse_json_lines(const std::string& text, const std::string& origin);

/// Chooses the records of plan_with_records().
struct RecordsChoice {
  /// The database has this path. If the path is empty, it is records_path(), and a database that
  /// cannot be opened is done without.
  std::string path = {};
  /// Receives one line when records cannot be opened, read or stored, and for each malformed row.
  WarnOfRow note = {};
};

/// Returns plan() of the arguments, whose best `options.verify` candidates were measured by
/// verify() or have measurements of the last seven days in the records. New measurements are added
/// to the records. Throws Error where plan() and verify() do, and when a database that was named
/// cannot be opened.
Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       const RecordsChoice& choice = {});

}  // namespace tileplan
