// SPDX-License-Identifier: Apache-2.0
// Runs strategies on one layer of this machine, in a child process that may break.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "search_session.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "timer.h"

namespace tileplan {

/// SearchTask::strategy that measures `schedules` in their order.
constexpr const char* kFixed = "fixed";

/// Options of a droplet search from the untiled schedule of the model's microkernel.
struct DropletSettings {
  double p_value = 0.05;
  int width = 16;
};

struct SearchTask {
  std::string strategy;
  std::uint64_t seed = 1;
  SearchBudget budget = {};
  std::vector<std::string> schedules = {};  ///< for kFixed alone
  /// Searches of earlier rounds take their part of LayerSearchOptions::budget_seconds first.
  int round = 0;
  std::optional<DropletSettings> droplet = {};  ///< of the strategy "droplet"; none: the paper's
};

struct SearchStep {
  std::string schedule;
  double seconds = 0;  ///< mean of its samples; infinite when it failed
  /// Seconds of its search until then, as if the search had known no measurement before.
  double after_seconds = 0;
};

struct SearchCourse {
  SearchTask task;
  std::vector<SearchStep> steps = {};
  int batches = 0;        ///< of a task with droplet settings
  bool complete = false;  ///< false: stopped by Ctrl-C, or its part of the time was over
};

struct LayerSearch {
  std::vector<SearchCourse> courses;   ///< order of the tasks
  std::vector<std::string> ranked;     ///< the model's schedules, best first
  double planning_seconds = 0;         ///< until the model had ranked them
  double seconds_per_measurement = 0;  ///< compiling, checking and waiting included; 0: all known
};

struct LayerSearchOptions {
  std::string records;  ///< database in which all measurements are kept
  std::string version;
  int ranked = 100;  ///< schedules of the model
  int samples = 3;   ///< undisturbed ones of each schedule: the Droplet paper's three
  /// One sample is enough for a schedule from so many times its search's best on.
  double clearly_slower = std::numeric_limits<double>::infinity();
  /// Seconds of all tasks together, which deal_time deals out round by round.
  double budget_seconds = std::numeric_limits<double>::infinity();
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
