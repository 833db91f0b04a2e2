// SPDX-License-Identifier: Apache-2.0
// This header declares a database of measurements, so that plans need not repeat recent
// measurements.
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

/// Holds the measurement of one candidate. The first five fields identify the problem, the
/// schedule, the machine, the state of the caches and the program.
struct Record {
  std::string problem = {};   ///< Holds to_string(Problem) and the epilogue, if there is one.
  std::string schedule = {};  ///< Holds to_string(Schedule).
  /// Holds machine_type(), followed by the number of threads if it exceeds 1.
  std::string machine = {};
  std::string regime = {};
  std::string version = {};  ///< Holds the version of the measuring program, with its commit.
  /// Gives the UTC time of the samples, such as "2026-11-21T13:05:00.123456Z".
  std::string taken = {};
  std::vector<double> samples = {};  ///< Holds times in seconds.
  std::string failure = {};          ///< Gives the reason why there are no samples, or is empty.

  bool operator==(const Record&) const = default;
};

/// Returns a text that differs for machines of different types. It consists of name, cpuid
/// signature (if there is one) and ISA: "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512".
std::string machine_type(const Machine& machine);

/// Returns the median of the samples in seconds. Requires at least one sample.
double median_seconds(const Record& record);

/// Selects records whose fields equal these texts. An empty text matches every record.
struct RecordFilter {
  std::string problem = {}, schedule = {}, machine = {}, regime = {}, version = {};
  /// Selects records of this UTC time or later, such as 2026-11-21.
  std::string since = {};
};

/// Receives a line of text, such as one about a malformed row with the name of the file and the
/// number of the row.
using WarnOfRow = std::function<void(const std::string& line)>;

/// Represents an open SQLite database that several processes may write. An operation waits up to 10
/// seconds for writes of other processes, and rolls back unfinished writes of killed processes.
class Records {
 public:
  /// Opens the file at `path`, or creates it and its folders. Throws Error when it cannot be opened
  /// or created, is no database of records, or has the format of a newer version.
  explicit Records(const std::string& path);

  /// Adds `records` in one transaction and returns how many were new. A record is not new if its
  /// first five fields and `taken` equal those of a stored record. Throws Error when writing fails.
  std::size_t add(std::span<const Record> records);

  /// Returns the matching records, oldest first, then by problem and schedule. Rows whose texts are
  /// not UTF-8 or have control characters, and rows without a list of seconds, are passed to `warn`
  /// instead. Without `warn`, the first malformed row throws Error.
  std::vector<Record> find(const RecordFilter& filter = {}, const WarnOfRow& warn = {}) const;

  /// Adds the records of the database `other` that are missing here, and returns their number.
  /// Throws Error when there is no such file, and where the constructor and add() do. Malformed
  /// rows are handled as in find().
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

/// Chooses the database that open_records() opens.
struct RecordsChoice {
  /// Names the file of the database. If it is empty, the file is records_path().
  std::string path = {};
  /// Receives one line when records cannot be opened, read or stored, and for each malformed row.
  WarnOfRow note = {};
};

/// Opens the chosen database. Throws Error when a database that `choice` names cannot be opened.
/// Returns nothing, after a note, when the default database cannot be opened.
std::optional<Records> open_records(const RecordsChoice& choice = {});

/// Returns plan() of the arguments with measurements of its best `options.verify` candidates, or
/// none if `verify` is 0. Measurements come from `records` if this version of the program took at
/// least five samples of each candidate in the last seven days. Otherwise verify() measures all
/// candidates, except those that the records show to be slower than another one. Candidates that
/// failed in these days are rejected, as long as one remains. New measurements are added to
/// `records`. `note` receives one line when reading or adding records fails, and for each malformed
/// row. Throws Error where plan() does and, unless `verify` is 0, where verify() does.
Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       Records& records, const WarnOfRow& note = {});

}  // namespace tileplan
