// SPDX-License-Identifier: Apache-2.0
// This file records what the search covered and bounds how far its result can be from the optimum.
#pragma once

#include <limits>
#include <vector>

#include "exact.h"
#include "tileplan/candidate.h"
#include "tileplan/options.h"

namespace tileplan {

/// Records the best schedules of the per-level model (exact.h) and counts the work of the searches
/// for them.
struct SearchRecord {
  struct Entry {
    KernelCombo kernels;
    PerLevelSchedule per_level;
  };
  /// Counts the kernel combinations and tiles that the searches of one kind covered.
  struct Coverage {
    int combos = 0;        ///< Counts the combinations of microkernels that were searched.
    double points = 0;     ///< Counts the tiles that a level may have, summed over combinations.
    bool complete = true;  ///< Tells whether every search was complete (ExactResult::complete).
  };

  std::vector<Entry> best;  ///< Holds up to 16 of the best schedules, fastest first.
  std::int64_t nodes = 0;   ///< Counts the tiles of single cache levels that were visited.
  Coverage divisors, uneven;
  /// Gives a lower bound on the seconds of each per-level schedule of the combinations that were
  /// searched, even when searches were cut short.
  double bound = std::numeric_limits<double>::infinity();
  /// Counts the combinations of microkernels that cover the problem with vectors along
  /// vectorised_dim() (KernelSpace::all). Some of them were not searched, because their compute
  /// time alone exceeds the optimum, or because a searched combination has an equal base box and no
  /// more compute time.
  std::int64_t all_combos = 0;

  /// Adds the search of `kernels` to `coverage`, which is `divisors` or `uneven`.
  void add(Coverage SearchRecord::*coverage, const KernelCombo& kernels, const ExactResult& result);
  /// Returns the seconds of the best schedule so far, or 0 when there is none.
  double optimum() const { return best.empty() ? 0 : best.front().per_level.seconds; }
};

struct CertificateInputs {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
  const SearchRecord& record;
  const std::vector<KernelCombo>& combos;  ///< Holds the combinations that `record` covers.
  const std::vector<Candidate>& scored;    ///< Holds all candidates that were predicted.
};

/// Returns the certificate of one search for direct schedules; plan() joins those of its searches.
/// No schedule of the space is predicted below its `bound` (prediction_bound.h). Its `per_level`
/// holds the best time of the per-level model, which is proven unless the record says that searches
/// were cut short, and a bound from relaxations with real tile sizes. By default only the order
/// classes of a few of the best schedules are relaxed. With Options::certify_full, all choices of
/// order classes are relaxed that single-level bounds do not prune, up to the limit of
/// Programs::least. If no candidate was predicted, only Certificate::space and Certificate::nodes
/// are set.
Certificate certify(const CertificateInputs& inputs);

}  // namespace tileplan
