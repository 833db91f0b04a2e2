// SPDX-License-Identifier: Apache-2.0
// A request asks any machine of one type to measure one schedule. Requests and results are lines of
// JSON, so that any scheduler can carry them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tileplan/options.h"
#include "tileplan/plan.h"
#include "tileplan/problem.h"
#include "tileplan/records.h"
#include "tileplan/schedule.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Asks a host for the measurement of one schedule.
struct MeasureRequest {
  Problem problem = {};
  Schedule schedule = {};
  /// Holds a machine_type(). Machines whose machine_type() differs at most in the name may answer.
  std::string machine = {};
  /// Holds the options of the measurement. Lines of JSON contain only `regime`, `threads`,
  /// `epilogue`, `budget_seconds` and `seed`.
  Options options = {};

  bool operator==(const MeasureRequest&) const = default;
};

/// Answers a MeasureRequest.
struct MeasureResult {
  /// Holds the samples or the failure, with the fields of record_key() for the request. The version
  /// is that of the program that measured.
  Record record = {};
  /// Counts the samples that other programs disturbed. `record` lacks these samples.
  int disturbed = 0;
  /// Gives the time of waits for a quiet machine and of samples that were not kept.
  double waiting_seconds = 0;
  double seconds = 0;  ///< Gives the time of the measurement, including `waiting_seconds`.

  bool operator==(const MeasureResult&) const = default;
};

/// Returns one request for each of the first `plan.options.verify` candidates of `plan`, or for all
/// candidates if `verify` is 0.
std::vector<MeasureRequest> requests_of(const Plan& plan);

/// Returns one line of JSON per request: {"problem": ..., "schedule": ..., "machine": ..., ...}.
std::string to_json_lines(const std::vector<MeasureRequest>& requests);

/// Returns the requests in `text`, one per line. A line must have a problem, a schedule and a
/// machine; options that it lacks have their defaults. Throws Error with `origin` (the file), the
/// number of the line, the field and the rule.
std::vector<MeasureRequest> parse_requests(const std::string& text, const std::string& origin);

/// Compiles, checks and times the schedule on this host, in a child process. The record gives a
/// reason instead of samples when the schedule cannot be compiled, crashes, hangs or computes a
/// wrong result. It also does so when the host is of another type, has too few cores or too little
/// memory, or is never quiet, but then is_lasting() is false. Throws Error when request_stop()
/// ended the measurement before the first sample.
MeasureResult measure(const MeasureRequest& request);

/// Returns one line of JSON with the fields of the record and the other fields of the result.
std::string to_json_line(const MeasureResult& result);

/// Returns the result in a line that to_json_line() wrote. Throws Error with the field and the rule
/// when `line` is no result, or not one of `request`.
MeasureResult parse_result(const std::string& line, const MeasureRequest& request);

/// Returns a record without samples. Its problem (with the epilogue), schedule, machine (with the
/// number of threads if there are several) and regime are those of `request`, and its version is
/// that of this program.
Record record_key(const MeasureRequest& request);

/// Returns true if measuring `record` again on another host would be useless, because it has
/// samples or its schedule failed. Returns false after lack of memory and after failures of the
/// host itself.
bool is_lasting(const Record& record);

/// Returns a record that gives `reason` as a failure of the host, the worker or the connection, for
/// which is_lasting() is false.
Record lost_record(const MeasureRequest& request, const std::string& reason);

/// Returns the newest record of `records` that answers `request`, for which is_lasting() is true
/// and that this version of the program measured in the last seven days, or nothing if there is
/// none. Malformed rows are handled as in Records::find().
std::optional<Record> find_record(const Records& records, const MeasureRequest& request,
                                  const WarnOfRow& warn = {});

}  // namespace tileplan
