// SPDX-License-Identifier: Apache-2.0
// This file runs search strategies for one layer, in a child process because generated code may
// crash.
#pragma once

#include <limits>

#include "search_session.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "timer.h"

namespace tileplan {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The strategy of this name measures SearchTask::schedules in their order.
constexpr const char* kFixed = "fixed";

/// Holds the options of a droplet search. The search starts at the untiled schedule with the
/// microkernel of the model's best schedule.
struct DropletSettings {
  double p_value = 0.05;
  int width = 16;
  /// If true, another core compiles and checks the next schedules of a batch during measurements.
  bool ahead = false;
};

struct SearchTask {
  std::string strategy;
  std::uint64_t seed = 1;
  SearchBudget budget = {};
  std::vector<std::string> schedules = {};  ///< Only the strategy kFixed uses these schedules.
  int round = 0;                            ///< Tasks of lower rounds run first.
  /// Without a value, the strategy "droplet" uses the settings of the paper and starts at
  /// ScheduleSpace::naive().
  std::optional<DropletSettings> droplet = {};
};

struct SearchStep {
  std::string schedule;
  double seconds = 0;  ///< Holds the mean of the samples, or infinity for a failure.
  /// Gives the time from the start of the search to the end of this step. A measurement from
  /// records counts with seconds_per_measurement, and the search "model" includes the time of
  /// planning.
  double after_seconds = 0;
};

struct SearchCourse {
  SearchTask task;
  std::vector<SearchStep> steps = {};
  int batches = 0;  ///< Counts the batches if SearchTask::droplet has a value, and is 0 otherwise.
  /// If true, neither Ctrl-C nor the end of the search's time in deal_time() ended the search. The
  /// end of SearchTask::budget does not make a search incomplete.
  bool complete = false;
};

struct LayerSearch {
  std::vector<SearchCourse> courses;  ///< The courses are in the order of the tasks.
  /// Lists the schedules that the model ranks first, the best one first.
  std::vector<std::string> ranked;
  double planning_seconds = 0;  ///< Holds the time that the model needs to rank schedules.
  /// This time includes compiling, checking and waiting. It is 0 if the records had all results.
  double seconds_per_measurement = 0;
};

struct LayerSearchOptions {
  std::string records;  ///< This database keeps valid samples and failures.
  std::string version;
  int ranked = 100;  ///< The model ranks this many schedules.
  int samples = 3;   ///< Each schedule gets at most this many valid samples.
  /// A schedule that is slower than the search's best by this factor needs only one sample.
  double clearly_slower = kInfinite;
  /// All tasks share this budget, which deal_time() divides.
  double budget_seconds = kInfinite;
  std::uint64_t seed = 1;
};

/// Runs the tasks one after another, each for an equal part of the remaining time. If `run` returns
/// false, the task was cut short, and is run again after the others, if time remains.
void deal_time(std::deque<std::size_t> tasks, double deadline, const Clock& clock,
               const std::function<bool()>& stop,
               const std::function<bool(std::size_t task, double end)>& run);

/// Runs the tasks one after another, those of lower rounds first, within the budget of `options`.
/// Schedules that have enough samples in the records are not measured again. If a schedule crashes
/// the child process, the crash is recorded as a failure, and a new child process runs all tasks
/// again. Throws Error when the child fails between measurements.
LayerSearch search_layer(const Problem& problem, const Machine& machine,
                         const std::vector<SearchTask>& tasks, const LayerSearchOptions& options);

double best_seconds(const SearchCourse& course);

}  // namespace tileplan
