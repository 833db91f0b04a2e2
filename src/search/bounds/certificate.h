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
    int combos = 0;        ///< It counts kernel combinations.
    double points = 0;     ///< It counts the tiles of all levels.
    bool complete = true;  ///< It says that no search was cut short, which proves the optimum.
  };

  std::vector<Entry> best;  ///< The fastest comes first.
  std::int64_t nodes = 0;
  Coverage divisors, uneven;
  /// No schedule in the space takes fewer seconds, also when searches were cut short.
  double bound = std::numeric_limits<double>::infinity();
  /// Counts the kernels and combinations that cover the problem. For those that were not searched,
  /// compute alone takes longer than the optimum, or a searched one has the same base box and less
  /// compute time.
  std::int64_t all_kernels = 0;

  /// Adds the search of `kernels` to `coverage`, which is `divisors` or `uneven`.
  void add(Coverage SearchRecord::*coverage, const KernelCombo& kernels, const ExactResult& result);
  /// Returns the seconds of the best so far, or 0 without any.
  double optimum() const { return best.empty() ? 0 : best.front().band.seconds; }
};

struct CertificateInputs {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
  const SearchRecord& record;
  const std::vector<KernelCombo>& kernels;  ///< They are all that were searched.
  const std::vector<Candidate>& scored;     ///< `predict` scored all of them.
};

/// Returns the certificate that `plan` and --json show. No schedule is predicted below its `bound`
/// (prediction_bound.h). Its `band` holds the optimum of the per-level model over divisor tiles,
/// and over uneven splits for the best kernels, which the exhaustive search proves. It also holds
/// the optimum over real tile sizes: by default for the class tuples of the best schedules, at most
/// four, and with Options::certify_full for all tuples and kernels that single-level bounds do not
/// prune. These programs then also sharpen `bound`.
Certificate certify(const CertificateInputs& inputs);

}  // namespace tileplan
