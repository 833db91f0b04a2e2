// SPDX-License-Identifier: Apache-2.0
// This file records what the search covered and bounds how far its result can be from the optimum.
#pragma once

#include <limits>
#include <vector>

#include "exact.h"
#include "tileplan/candidate.h"
#include "tileplan/options.h"

namespace tileplan {

/// Records the best band schedules over all kernel combinations, and the work that it took to find
/// them.
struct SearchRecord {
  struct Entry {
    KernelCombo kernels;
    BandSchedule band;
  };
  /// Counts what the searches of one kind covered.
  struct Coverage {
    int combos = 0;        ///< kernel combinations
    double points = 0;     ///< tiles of all their spaces and levels
    bool complete = true;  ///< no search was cut short, so that the optimum is proven
  };

  std::vector<Entry> best;  ///< fastest first
  std::int64_t nodes = 0;
  Coverage divisors, uneven;
  /// No schedule in the space takes fewer seconds, also when searches were cut short.
  double bound = std::numeric_limits<double>::infinity();
  /// Counts the kernels and combinations that cover the problem. For those that were not searched,
  /// compute alone takes longer than the optimum, or a searched one has the same base box and less
  /// compute.
  std::int64_t all_kernels = 0;

  /// Adds the search of `kernels` to `coverage`, which is `divisors` or `uneven`.
  void add(Coverage SearchRecord::*coverage, const KernelCombo& kernels, const ExactResult& result);
  /// Returns the seconds of the best so far; 0 when nothing was found.
  double optimum() const { return best.empty() ? 0 : best.front().band.seconds; }
};

struct CertificateInputs {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
  const SearchRecord& record;
  const std::vector<KernelCombo>& kernels;  ///< all that were searched
  const std::vector<Candidate>& scored;     ///< all nests that `predict` scored
};

/// Returns the certificate that `plan` and --json show. `optimum` is the smallest prediction, and
/// no schedule is predicted below `bound` (prediction_bound.h). `band` holds the band model's
/// optimum, which the exhaustive search over divisor tiles, and over uneven splits for the best
/// kernels, proves. It also holds the optimum over real tile sizes: of the class tuples of the best
/// schedules (at most four), or, with Options::certify_full, of all tuples and kernels that
/// single-level bounds do not prune. These programs then also sharpen `bound`.
Certificate certify(const CertificateInputs& inputs);

}  // namespace tileplan
