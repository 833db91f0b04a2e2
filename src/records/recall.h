// SPDX-License-Identifier: Apache-2.0
// This file reuses stored measurements of candidates, and stores new ones.
#pragma once

#include "tileplan/plan.h"
#include "tileplan/records.h"
#include "tileplan/request.h"

namespace tileplan {

/// Selects the stored measurements that replace new measurements.
struct RecallOptions {
  std::string version;  ///< Only measurements by this version are used, or all if it is empty.
  /// Older measurements are ignored, because clocks and loads of machines change within weeks.
  double fresh_seconds = 7 * 24 * 3600.0;
  /// Measurements with fewer samples are repeated. The first test of a race needs five samples.
  std::size_t fewest_samples = 5;
  /// Receives a line about each malformed row of the database. Without this function, the first
  /// malformed row throws Error.
  WarnOfRow warn = {};
};

/// Gives the first `plan.options.verify` candidates their stored measurements for this machine,
/// regime and version, and returns how many got one. If some of them have none, only those whose
/// confidence intervals lie above that of the fastest get theirs, and verify() measures the others
/// again. Rejects candidates whose newest record is a failure, but keeps at least one candidate.
/// Throws Error when the database cannot be read.
std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options);

/// Adds the new measurements and failures of a verified `plan`, and returns how many were added.
/// Failures whose cause may lie outside the schedule, such as lack of memory, are not stored
/// (is_lasting()). Throws Error when the database cannot be written.
std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options);

}  // namespace tileplan
