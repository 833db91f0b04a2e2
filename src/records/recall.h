// SPDX-License-Identifier: Apache-2.0
// Gives candidates their stored measurements, and stores new ones.
#pragma once

#include "tileplan/plan.h"
#include "tileplan/records.h"

namespace tileplan {

/// States which stored measurements replace a new one.
struct RecallOptions {
  std::string version;  ///< It names the program and its commit.
  /// Measurements older than this do not count, because clocks and neighbours change in weeks.
  double fresh_seconds = 7 * 24 * 3600.0;
  /// Measurements with fewer samples are taken again; the first test of a race takes five.
  std::size_t fewest_samples = 5;
};

/// Returns a machine's key: "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512".
std::string record_machine(const Machine& machine);

/// Gives the first `plan.options.verify` candidates their stored measurements and returns how many
/// need no new one. Machine, regime and version must be equal. When some candidates are unknown,
/// only those whose intervals lie above that of the best known one get theirs. Candidates that
/// failed before become rejections, but at least one candidate stays.
std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options);

/// Adds the new measurements of a verified `plan` and its failures, and returns their number.
/// Failures for lack of memory are not stored.
std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options);

}  // namespace tileplan
