// SPDX-License-Identifier: Apache-2.0
// The studies `pvalue` and `speculation` compare droplet searches with different options.
#pragma once

#include "study.h"

namespace tileplan {

struct DropletVariant {
  std::string name;
  DropletSettings settings;
};

/// Returns variants whose t-test has the threshold p = 0.01, 0.05, 0.10 or 0.25, and one without a
/// test, which moves to the schedule with the smaller mean time.
std::vector<DropletVariant> p_value_variants();

/// Returns variants with the widths (DropletSettings) 1, which speculates only when no neighbour is
/// new, and 16, and one with width 16 in which a second core compiles and checks schedules ahead.
/// Variants that check ahead come last.
std::vector<DropletVariant> speculation_variants();

struct DropletRow {
  std::string layer = {}, variant = {};
  int batches = 0, measurements = 0;
  double seconds = 0;  ///< Holds SearchStep::after_seconds of the last step, or 0 without steps.
  /// Holds the median time of the winner in seconds, measured in turns with the other winners.
  std::optional<double> final = {};
  /// Holds the p-value of a t-test that compares this winner with the winner of the first variant.
  std::optional<double> p_value = {};
  bool complete = false;
  std::string schedule = {};  ///< This is the schedule that winner_of() returns.
};

/// Returns the schedule that was fastest in the search's own samples, or "" when all failed.
std::string winner_of(const SearchCourse& course);

/// Returns one row per variant. `samples` maps winners to the seconds of their later samples. The
/// p-value is 1 for a variant that has the winner of the first variant, and empty when one of the
/// two winners has no later samples.
std::vector<DropletRow> droplet_rows(const std::string& layer,
                                     const std::vector<DropletVariant>& variants,
                                     const LayerSearch& search,
                                     const std::map<std::string, std::vector<double>>& samples);

}  // namespace tileplan
