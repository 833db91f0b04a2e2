// SPDX-License-Identifier: Apache-2.0
// Runs strategies on one layer of this machine, in a child process that may crash.
#pragma once

#include <limits>

#include "search_session.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "timer.h"

namespace tileplan {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// This SearchTask::strategy measures `schedules` in their order.
constexpr const char* kFixed = "fixed";

/// A droplet search with these options starts at the untiled schedule of the model's microkernel.
struct DropletSettings {
  double p_value = 0.05;
  int width = 16;
};

struct SearchTask {
  std::string strategy;
  std::uint64_t seed = 1;
  SearchBudget budget = {};
  std::vector<std::string> schedules = {};  ///< Only kFixed reads them.
  int round = 0;  ///< Earlier rounds take their part of LayerSearchOptions::budget_seconds first.
  std::optional<DropletSettings> droplet = {};  ///< "droplet" runs with the paper's without them.
};

struct SearchStep {
  std::string schedule;
  double seconds = 0;        ///< It is the mean of the samples; infinite when it failed.
  double after_seconds = 0;  ///< So long the search had run, as if it had known no measurement.
};

struct SearchCourse {
  SearchTask task;
  std::vector<SearchStep> steps = {};
  int batches = 0;        ///< It is 0 for a task without droplet settings.
  bool complete = false;  ///< It is not when Ctrl-C or its part of the time ended it.
};

struct LayerSearch {
  std::vector<SearchCourse> courses;   ///< They have the order of the tasks.
  std::vector<std::string> ranked;     ///< The model's best schedule comes first.
  double planning_seconds = 0;         ///< The model needs them to rank.
  double seconds_per_measurement = 0;  ///< It includes compiling, checking and waiting.
};

struct LayerSearchOptions {
  std::string records;  ///< This database keeps all measurements.
  std::string version;
  int ranked = 100;  ///< The model ranks so many schedules.
  int samples = 3;  ///< Each schedule gets so many undisturbed ones, three as in the Droplet paper.
  /// One sample is enough for a schedule from so many times its search's best on.
  double clearly_slower = kInfinite;
  /// All tasks share it, and deal_time deals it out round by round.
  double budget_seconds = kInfinite;
  std::uint64_t seed = 1;
};

/// Gives each task in turn its even part of the time that is left, then runs those that were cut
/// again. `run` returns false when the task was cut.
void deal_time(std::deque<std::size_t> tasks, double deadline, const Clock& clock,
               const std::function<bool()>& stop,
               const std::function<bool(std::size_t task, double end)>& run);

/// Runs the tasks one after the other, and measures no schedule again that the records hold. A
/// schedule that breaks the child is remembered as a failure.
LayerSearch search_layer(const Problem& problem, const Machine& machine,
                         const std::vector<SearchTask>& tasks, const LayerSearchOptions& options);

double best_seconds(const SearchCourse& course);

}  // namespace tileplan
