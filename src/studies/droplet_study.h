// SPDX-License-Identifier: Apache-2.0
// The studies `pvalue` and `speculation` compare droplet searches with different options.
#pragma once

#include "study.h"

namespace tileplan {

struct DropletVariant {
  std::string name;
  DropletSettings settings;
};

/// Returns p = 0.01, 0.05, 0.10, 0.25 and none (the smaller mean wins), with the paper's width.
std::vector<DropletVariant> p_value_variants();

/// Returns width 1 (no speculation) and width 16, with p = 0.05.
std::vector<DropletVariant> speculation_variants();

struct DropletRow {
  std::string layer = {}, variant = {};
  int batches = 0, measurements = 0;
  double seconds = 0;                  ///< The search takes them when it runs alone.
  std::optional<double> final = {};    ///< The winners are measured in turns for this median.
  std::optional<double> p_value = {};  ///< Student's test compares it with the first winner.
  bool complete = false;
  std::string schedule = {};  ///< It is winner_of the search.
};

/// Returns the fastest schedule of a search by its own samples; empty when all failed.
std::string winner_of(const SearchCourse& course);

/// Returns a row per variant. `samples` holds the seconds of the winners, measured again. The
/// p-value of a variant with the same winner as the first is 1.
std::vector<DropletRow> droplet_rows(const std::string& layer,
                                     const std::vector<DropletVariant>& variants,
                                     const LayerSearch& search,
                                     const std::map<std::string, std::vector<double>>& samples);

}  // namespace tileplan
