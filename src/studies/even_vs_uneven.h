// SPDX-License-Identifier: Apache-2.0
// Schedules of one layer in two kinds, with and without an uneven loop, and the best of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search_study.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Has an L: two register tiles or two cache tiles share a dimension that neither divides.
bool is_uneven(const Schedule& schedule);

struct KindSchedule {
  std::string schedule;
  double predicted_seconds = 0;
  double seconds = 0;  ///< mean of its samples
  /// Median of a second look, side by side, at the fastest of both kinds: the smallest of many
  /// noisy times flatters its schedule.
  std::optional<double> again_seconds = {};
};

/// Fastest first; what failed or was never undisturbed is left out.
struct TwoKinds {
  std::vector<KindSchedule> even, uneven;
};

/// The schedules of `tasks`, each once. `options.budget_seconds` are for all of it. What the
/// records know is not measured again.
TwoKinds measure_kinds(const Problem& problem, const Machine& machine,
                       const std::vector<SearchTask>& tasks, const SearchStudyOptions& options,
                       const std::string& study);

/// Of those looked at twice the smallest second time; nothing when there is none.
std::optional<double> best_again(const std::vector<KindSchedule>& kind);

/// The smallest prediction; nothing when there is none.
std::optional<double> best_predicted(const std::vector<KindSchedule>& kind);

/// What the two kinds are called in a study.
struct KindNames {
  std::string even, uneven;
};

/// Lines "layer,kind,predicted_s,seconds,again_s,schedule" and their head.
constexpr const char* kKindColumns = "layer,kind,predicted_s,seconds,again_s,schedule\n";
std::string kind_rows(const std::string& layer, const KindNames& names, const TwoKinds& kinds);

/// What a study of two kinds asks and says. All of it but the tasks is text.
struct KindStudy {
  std::string name;  ///< of the study and its files
  KindNames kinds;
  std::string question;  ///< a comment line of the head, without its '#'
  std::vector<SearchTask> (*tasks)(const Problem& problem, const Machine& machine,
                                   const SearchStudyOptions& options);
};

/// Measures the kinds on each layer. Writes NAME.csv, NAME-LAYER.svg (x = share of peak, y = share
/// of the schedules of each kind that reach it) and summary.txt: per layer the best of both kinds,
/// predicted and measured, and their ratio. Ends early, with the layers that are complete, when
/// request_stop() was called; `options.resume` goes on from the records. Requires: `machine` is
/// this host. Throws Error as StudyFolder does.
void study_kinds(const KindStudy& study, const Machine& machine, const SearchStudyOptions& options,
                 const std::function<void(const std::string&)>& say);

}  // namespace tileplan
