// SPDX-License-Identifier: Apache-2.0
// The studies `pvalue` and `speculation`: droplet search with other options, side by side.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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
  double seconds = 0;  ///< as if it had run alone
  /// Median seconds of its winner, measured side by side with the others.
  std::optional<double> final = {};
  /// Student's test between its winner and the first variant's; 1 for one schedule.
  std::optional<double> p_value = {};
  bool complete = false;
  std::string schedule = {};  ///< the winner; empty: it measured nothing without failing
};

/// Returns the fastest schedule of a search by its own samples; empty when there is none.
std::string winner_of(const SearchCourse& course);

/// Returns a row per variant. `samples` holds the seconds of the winners, measured again.
std::vector<DropletRow> droplet_rows(const std::string& layer,
                                     const std::vector<DropletVariant>& variants,
                                     const LayerSearch& search,
                                     const std::map<std::string, std::vector<double>>& samples);

}  // namespace tileplan
