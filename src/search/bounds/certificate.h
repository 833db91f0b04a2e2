// SPDX-License-Identifier: Apache-2.0
// This file records what the search covered and bounds how far its result can be from the optimum.
#pragma once

#include <limits>
#include <vector>

#include "exact.h"
#include "tileplan/candidate.h"
#include "tileplan/options.h"

namespace tileplan {

/// Records the best schedules of the per-level model (exact.h) over all kernel combinations, and
/// the work that it took to find them.
struct SearchRecord {
  struct Entry {
    KernelCombo kernels;
    BandSchedule band;
  };
  /// Counts what the searches of one kind covered.
  struct Coverage {
    int combos = 0;        ///< This many kernel combinations were searched.
    double points = 0;     ///< The search space has this many tiles of all levels.
    bool complete = true;  ///< No search was cut short, which proves the optimum.
  };

  std::vector<Entry> best;  ///< The fastest schedule comes first.
  std::int64_t nodes = 0;
  Coverage divisors, uneven;
  /// No schedule in the space takes fewer seconds, even when searches were cut short.
  double bound = std::numeric_limits<double>::infinity();
  /// Counts the kernels and combinations that cover the problem. Some need no search: their compute
  /// time alone exceeds the optimum, or a searched kernel has the same base box and no more compute
  /// time.
  std::int64_t all_kernels = 0;

  /// Adds the search of `kernels` to `coverage`, which is `divisors` or `uneven`.
  void add(Coverage SearchRecord::*coverage, const KernelCombo& kernels, const ExactResult& result);
  /// Returns the seconds of the best schedule so far, or 0 when there is none.
  double optimum() const { return best.empty() ? 0 : best.front().band.seconds; }
};

struct CertificateInputs {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
  const SearchRecord& record;
  const std::vector<KernelCombo>& kernels;  ///< These kernels are all that were searched.
  const std::vector<Candidate>& scored;     ///< `predict` scored all of these.
};

/// Returns the certificate that `plan` and --json show. No schedule is predicted below its `bound`
/// (prediction_bound.h). Its `band` holds the optimum of the per-level model over divisor tiles,
/// and over uneven splits for the best kernels, which the exhaustive search proves. It also holds
/// the optimum of a relaxation with real tile sizes. The relaxation is solved for at most four
/// combinations of loop-order classes of the best schedules, or with Options::certify_full for all
/// combinations and kernels that single-level bounds do not prune. In that case the relaxation may
/// also raise `bound`.
Certificate certify(const CertificateInputs& inputs);

}  // namespace tileplan
