// SPDX-License-Identifier: Apache-2.0
// Records keep finished measurements in a database, so that no schedule is measured twice.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tileplan/plan.h"
#include "tileplan/visibility.h"

struct sqlite3;

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the measurement of one candidate. The first five fields tell what was measured and where.
struct Record {
  std::string problem = {};   ///< This is to_string(Problem) with the epilogue.
  std::string schedule = {};  ///< This is to_string(Schedule).
  /// This is machine_type(), followed by the number of threads if it exceeds 1.
  std::string machine = {};
  std::string regime = {};
  std::string version = {};  ///< This is the version of the measuring program, with its commit.
  /// The samples were taken at this UTC time, such as "2026-11-21T13:05:00.123456Z".
  std::string taken = {};
  std::vector<double> samples = {};  ///< The samples are in seconds.
  std::string failure = {};          ///< This text gives the reason if there are no samples.

  bool operator==(const Record&) const = default;
};

/// Returns the text that tells machines of different types apart, from name, cpuid signature and
/// ISA: "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512".
std::string machine_type(const Machine& machine);

/// Returns the median of the samples in seconds. Requires at least one sample.
double median_seconds(const Record& record);

/// Selects records whose fields equal these texts. An empty text matches every record.
struct RecordFilter {
  std::string problem = {}, schedule = {}, machine = {}, regime = {}, version = {};
  /// Matching records were taken at this UTC time or later, such as 2026-11-21.
  std::string since = {};
};

/// Receives one line, which names the file and the row, about each malformed row.
using WarnOfRow = std::function<void(const std::string& line)>;

/// Represents an open SQLite database that several processes may write. An operation waits for
/// writes of other processes, and rolls back unfinished writes of killed processes.
class Records {
 public:
  /// Opens the file, or creates it and its folders. Throws Error when it is not such a database.
  explicit Records(const std::string& path);

  /// Adds `records` in one transaction and returns how many were new. A record is not new if its
  /// first five fields and `taken` equal those of a stored record. Throws Error when writing fails.
  std::size_t add(std::span<const Record> records);

  /// Returns the matching records, oldest first, then by problem and schedule. Rows whose texts are
  /// not UTF-8 or that lack a list of seconds are left out and passed to `warn`. Without `warn`,
  /// the first such row throws Error.
  std::vector<Record> find(const RecordFilter& filter = {}, const WarnOfRow& warn = {}) const;

  /// Adds the records of the database `other` that are missing here, and returns their number.
  /// Throws Error when there is no such file. Malformed rows are handled as in find().
  std::size_t merge(const std::string& other, const WarnOfRow& warn = {});

 private:
  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

/// Returns the path of records.db, in the folder of machine_cache_path(). Throws Error as
/// machine_cache_path() does.
std::string records_path();

/// Returns one line of JSON per record: {"problem": ..., "samples": [...], ...}.
std::string to_json_lines(const std::vector<Record>& records);

/// Returns the records in the lines that to_json_lines() wrote. Throws Error with `origin` (the
/// file), the number of the line, the field and the rule.
std::vector<Record> parse_json_lines(const std::string& text, const std::string& origin);

/// Chooses the database of open_records().
struct RecordsChoice {
  /// The database has this path. If the path is empty, the path is records_path().
  std::string path = {};
  /// Receives one line when records cannot be opened, read or stored, and for each malformed row.
  WarnOfRow note = {};
};

/// Opens the chosen database. Throws Error when a database that `choice` names cannot be opened.
/// Returns nothing, after a note, when the default database cannot be opened.
std::optional<Records> open_records(const RecordsChoice& choice = {});

/// Returns plan() of the arguments, whose best `options.verify` candidates were measured by
/// verify() or have measurements of the last seven days in `records`. New measurements are added
/// to `records`; `note` receives one line when that fails or a row is malformed. Throws Error where
/// plan() and verify() do.
Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       Records& records, const WarnOfRow& note = {});

}  // namespace tileplan
