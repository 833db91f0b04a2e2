// SPDX-License-Identifier: Apache-2.0
// Gives candidates their stored measurements, and stores new ones.
#pragma once

#include <cstddef>
#include <string>

#include "records.h"
#include "tileplan/plan.h"

namespace tileplan {

/// States which stored measurements replace a new one.
struct RecallOptions {
  std::string version;  ///< of the program, with its commit
  /// Measurements older than this do not count, because clocks and neighbours change in weeks.
  double fresh_seconds = 7 * 24 * 3600.0;
  /// Measurements with fewer samples are taken again; the first test of a race takes five.
  std::size_t fewest_samples = 5;
};

/// Returns a machine's key: "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512".
std::string record_machine(const Machine& machine);

/// Gives the first `plan.options.verify` candidates their stored measurements and returns how many
/// need no new one. When some are unknown, only those that were clearly slower than the best known
/// one get theirs. Candidates that failed before become rejections.
std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options);

/// Adds the new measurements and lasting failures of `plan`, and returns their number.
std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options);

}  // namespace tileplan
