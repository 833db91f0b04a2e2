// SPDX-License-Identifier: Apache-2.0
// What the records know about the candidates of a plan, and what a plan adds to them.
#pragma once

#include <cstddef>
#include <string>

#include "records.h"
#include "tileplan/plan.h"

namespace tileplan {

/// What a measurement must agree with to stand for a new one.
struct RecallOptions {
  std::string version;  ///< of the program, with its commit
  /// Age up to which a measurement counts. Clocks, kernels of the system and neighbours change in
  /// weeks; larger values trust older states of the machine.
  double fresh_seconds = 7 * 24 * 3600.0;
  /// Undisturbed samples that a measurement needs to stand for a new one: the five that the first
  /// look of a contest takes. Fewer are kept in the records, but measured again.
  std::size_t fewest_samples = 5;
};

/// "AMD EPYC (zen5), family 26 model 2 stepping 1, avx512": the key of a machine in records.
std::string record_machine(const Machine& machine);

/// Gives the first `plan.options.verify` candidates what was measured of them before on the same
/// machine, in the same regime, by the same version. When not all of them are known, only those get
/// it that were clearly slower than the best known one (their intervals do not overlap): the others
/// have to be measured side by side. Candidates that failed leave as rejections. How many need not
/// be measured again.
std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options);

/// Adds the measurements and failures of `plan` that are not from the records, those aside that say
/// only that memory was short. Call it after verify(). How many.
std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options);

}  // namespace tileplan
