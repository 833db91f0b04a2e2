// SPDX-License-Identifier: Apache-2.0
// The studies `pvalue` and `speculation` compare droplet searches with different options.
#pragma once

#include "study.h"

namespace tileplan {

struct DropletVariant {
  std::string name;
  DropletSettings settings;
};

/// Returns variants with p = 0.01, 0.05, 0.10, 0.25 and none (the smaller mean wins), and the
/// paper's width.
std::vector<DropletVariant> p_value_variants();

/// Returns variants of width 1 (no speculation) and 16, with p = 0.05.
std::vector<DropletVariant> speculation_variants();

struct DropletRow {
  std::string layer = {}, variant = {};
  int batches = 0, measurements = 0;
  double seconds = 0;                  ///< The search takes this time when it runs alone.
  std::optional<double> final = {};    ///< The winner has this median, measured in turns.
  std::optional<double> p_value = {};  ///< Student's t-test compares the winner with the first.
  bool complete = false;
  std::string schedule = {};  ///< The schedule is winner_of() the search.
};

/// Returns the fastest schedule of a search by its own samples, or an empty text when all failed.
std::string winner_of(const SearchCourse& course);

/// Returns one row per variant. `samples` maps each winner to the seconds of its later samples. The
/// p-value of a variant with the same winner as the first variant is 1.
std::vector<DropletRow> droplet_rows(const std::string& layer,
                                     const std::vector<DropletVariant>& variants,
                                     const LayerSearch& search,
                                     const std::map<std::string, std::vector<double>>& samples);

}  // namespace tileplan
