// SPDX-License-Identifier: Apache-2.0
// The studies `pvalue` and `speculation`: droplet search with other options, side by side.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search_study.h"

namespace tileplan {

/// A droplet search to compare.
struct DropletVariant {
  std::string name;
  DropletSettings settings;
};

/// p = 0.01, 0.05, 0.10, 0.25 and none (the smaller mean wins); the paper's width.
std::vector<DropletVariant> p_value_variants();

/// Without speculation (width 1) and with it (width 16); p = 0.05.
std::vector<DropletVariant> speculation_variants();

/// How one variant fared on one layer.
struct DropletRow {
  std::string layer = {}, variant = {};
  int batches = 0, measurements = 0;
  double seconds = 0;  ///< as if it had run alone
  std::optional<double> final =
      {};  ///< median of its winner, seconds, side by side with the others
  /// Of Student's test between its winner and the first variant's; 1 when they are one schedule.
  std::optional<double> p_value = {};
  bool complete = false;
  std::string schedule = {};  ///< the winner; empty: it measured nothing without failing
};

/// The fastest schedule of a search by its own samples; empty when there is none.
std::string winner_of(const SearchCourse& course);

/// `samples`: seconds by schedule, of the second look. Requires: a course for each variant.
std::vector<DropletRow> droplet_rows(const std::string& layer,
                                     const std::vector<DropletVariant>& variants,
                                     const LayerSearch& search,
                                     const std::map<std::string, std::vector<double>>& samples);

/// Runs every variant on each layer from the naive schedule of the model's microkernel;
/// `options.budget_seconds` are of the whole study, in even parts for the layers and searches that
/// are left. Writes pvalue.csv or speculation.csv, an SVG of the courses of each layer and
/// summary.txt. What the records hold is not measured again. Ends early, with what there is, when
/// request_stop() was called. Requires: `machine` is this host.
void study_p_value(const Machine& machine, const SearchStudyOptions& options,
                   const std::function<void(const std::string&)>& say);
void study_speculation(const Machine& machine, const SearchStudyOptions& options,
                       const std::function<void(const std::string&)>& say);

}  // namespace tileplan
