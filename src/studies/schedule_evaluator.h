// SPDX-License-Identifier: Apache-2.0
// Schedules are measured one at a time, when a strategy asks, and are remembered.
#pragma once

#include "bound_kernel.h"
#include "merge_dims.h"
#include "records.h"
#include "search_session.h"
#include "tileplan/plan.h"

namespace tileplan {

struct EvaluatorOptions {
  std::string records;  ///< Measurements in this database are not made again.
  std::string version;  ///< Only records of this program and study stand for a measurement.
  int samples = 3;      ///< The Droplet paper takes three undisturbed ones, too.
  /// One undisturbed sample is enough from so many times the best of the search on.
  double clearly_slower = std::numeric_limits<double>::infinity();
  double patience_seconds = 2;  ///< A schedule without samples fails after them.
  std::uint64_t seed = 1;
};

struct Answer {
  Evaluation evaluation;
  std::optional<double> seconds;  ///< The measurement took them; missing for records.
};

/// Checks and measures schedules of one problem. Use it in a child process: candidates may crash.
class ScheduleEvaluator {
 public:
  /// `first` chooses the outputs that are checked. Throws Error when the records cannot be opened.
  ScheduleEvaluator(const Plan& first, const EvaluatorOptions& options);

  /// It is called with each schedule before it is measured, unless it is known.
  std::function<void(const std::string& schedule)> on_measure = [](const std::string&) {};

  /// Returns the first measurement if it has all samples or is clearly slower than `best_seconds`
  /// of the search, otherwise a second one of all samples.
  Answer evaluate(const std::string& schedule,
                  double best_seconds = std::numeric_limits<double>::infinity());
  /// Returns whether compile() takes it.
  bool can_run(const Schedule& schedule);

  /// Returns the seconds per measurement made here; 0 when all were known.
  double seconds_per_measurement() const {
    return measurements_ == 0 ? 0 : spent_seconds_ / measurements_;
  }

 private:
  bool is_enough(const Evaluation& evaluation, double best_seconds) const;
  Answer measure_and_record(const std::string& schedule, double best_seconds);
  Evaluation measure(const std::string& schedule, double best_seconds);

  const PinnedThread pinned_;
  Plan plan_;  ///< Its candidate is the one being compiled.
  EvaluatorOptions options_;
  ComputationVariants readings_;
  Tensors tensors_;
  SampledCheck spots_;
  Instruments instruments_;
  Records records_;
  std::map<std::string, std::vector<Answer>> known_;  ///< The answers are in the order measured.
  std::map<std::string, bool> can_run_;
  double spent_seconds_ = 0;
  int measurements_ = 0;
};

/// Returns the difference between the wrong output and the expected one; empty for a passed check.
std::string failure_text(const Check& check);

/// Returns the key of an evaluation in the records, without samples and failure.
Record evaluation_key(const Plan& plan, const std::string& schedule, const std::string& version);

}  // namespace tileplan
