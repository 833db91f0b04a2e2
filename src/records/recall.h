// SPDX-License-Identifier: Apache-2.0
// Reuses the stored measurements of candidates, and stores new measurements.
#pragma once

#include "tileplan/plan.h"
#include "tileplan/records.h"

namespace tileplan {

/// Decides which stored measurements are used instead of a new measurement.
struct RecallOptions {
  std::string version;  ///< The program and its commit have this name.
  /// Older measurements are ignored, because clocks and the load of shared machines change in
  /// weeks.
  double fresh_seconds = 7 * 24 * 3600.0;
  /// Measurements with fewer samples are repeated. The first test of a race needs five samples.
  std::size_t fewest_samples = 5;
  WarnOfRow warn = {};  ///< recall() hands it to Records::find().
};

/// Returns the key of a machine: "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512".
std::string record_machine(const Machine& machine);

/// Gives the first `plan.options.verify` candidates their stored measurements of equal machine,
/// regime and version, and returns how many got one. When some have no stored measurement, the
/// others get theirs only if its interval lies above that of the fastest. Candidates that failed
/// before become rejections, but at least one candidate stays.
std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options);

/// Adds the new measurements and failures of a verified `plan`, and returns how many were added.
/// Failures for lack of memory are not stored.
std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options);

}  // namespace tileplan
