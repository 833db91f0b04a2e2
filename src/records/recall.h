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
  /// Age up to which a measurement counts. Clocks, kernels of the system and neighbours change in
  /// weeks; larger values trust older states of the machine.
  double fresh_seconds = 7 * 24 * 3600.0;
  /// Undisturbed samples that a stored measurement needs to replace a new one. The first test of a
  /// race takes five. Measurements with fewer stay in the records, but are taken again.
  std::size_t fewest_samples = 5;
};

/// Returns a machine's key: "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512".
std::string record_machine(const Machine& machine);

/// Gives the first `plan.options.verify` candidates their stored measurements of the same machine,
/// regime and version. Returns how many candidates need no new measurement. When some candidates
/// are unknown, only those that were clearly slower than the best known one get theirs (the
/// intervals do not overlap); the others have to be measured side by side. Candidates that failed
/// before become rejections.
std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options);

/// Adds the new measurements and failures of `plan`, and returns their number. Failures for lack of
/// memory are not stored. Call it after verify().
std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options);

}  // namespace tileplan
