// SPDX-License-Identifier: Apache-2.0
// Measures the schedules that a strategy asks for, one at a time, and remembers them.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bound_kernel.h"
#include "merge_dims.h"
#include "records.h"
#include "runner.h"
#include "search_session.h"
#include "tileplan/plan.h"

namespace tileplan {

struct EvaluatorOptions {
  std::string records;  ///< database; what it knows is not measured again
  std::string version;  ///< of the program and the study: what may stand for a new measurement
  /// Undisturbed samples of each schedule; the Droplet paper takes three.
  int samples = 3;
  /// One undisturbed sample is enough from so many times the best of the search on.
  double clearly_slower = std::numeric_limits<double>::infinity();
  /// Seconds after which a schedule is taken with the samples that there are; it fails without any.
  double patience_seconds = 2;
  std::uint64_t seed = 1;
};

struct Answer {
  Evaluation evaluation;
  /// Compiling, checking and waiting, when it was first measured; nothing when that was not here.
  std::optional<double> seconds;
};

/// Checks and measures schedules of one problem. Use it in a child process: candidates may crash.
class ScheduleEvaluator {
 public:
  /// `first` chooses the outputs that are checked. Throws Error when the records cannot be opened.
  ScheduleEvaluator(const Plan& first, const EvaluatorOptions& options);

  /// Called with each schedule that is about to be measured, not with those that are known.
  std::function<void(const std::string& schedule)> on_measure = [](const std::string&) {};

  /// Returns the first measurement if it has all samples or is clearly slower than `best_seconds`
  /// of the search, otherwise a second one of all samples.
  Answer evaluate(const std::string& schedule,
                  double best_seconds = std::numeric_limits<double>::infinity());
  /// Returns whether compile() takes it.
  bool can_run(const Schedule& schedule);

  /// Returns the seconds per measurement made here; 0 when all were known.
  double seconds_per_measurement() const;

 private:
  bool is_enough(const Evaluation& evaluation, double best_seconds) const;
  Answer measure_and_record(const std::string& schedule, double best_seconds);
  Evaluation measure(const std::string& schedule, double best_seconds);

  const PinnedThread pinned_;
  Plan plan_;  ///< its candidate is the one being compiled
  EvaluatorOptions options_;
  ComputationVariants readings_;
  Tensors tensors_;
  SampledCheck spots_;
  Instruments instruments_;
  Records records_;
  std::map<std::string, std::vector<Answer>> known_;  ///< measurements in their order
  std::map<std::string, bool> can_run_;
  double spent_seconds_ = 0;  ///< on measurements
  int measurements_ = 0;
};

/// Returns what is wrong with a result; empty when the check passed.
std::string failure_text(const Check& check);

/// Returns the key of an evaluation in the records, without samples and failure.
Record evaluation_key(const Plan& plan, const std::string& schedule, const std::string& version);

}  // namespace tileplan
