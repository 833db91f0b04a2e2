// SPDX-License-Identifier: Apache-2.0
// This file measures schedules on request of a search strategy, and stores the results in the
// records.
#pragma once

#include "ahead_checker.h"
#include "search_session.h"
#include "tileplan/records.h"

namespace tileplan {

struct EvaluatorOptions {
  /// Names a database. Measurements in it that have enough samples are not repeated.
  std::string records;
  std::string version;  ///< Names program and study. Only records with this text are used.
  int samples = 3;      ///< A measurement ends at this many valid samples. The Droplet paper has 3.
  /// A schedule that is slower than the search's best by this factor needs only one valid sample.
  double clearly_slower = std::numeric_limits<double>::infinity();
  double patience_seconds = 2;  ///< A schedule that has no valid samples after this time fails.
  std::uint64_t seed = 1;
};

struct Answer {
  Evaluation evaluation;
  /// The measurement took this time. An answer from the records has no time.
  std::optional<double> seconds;
};

/// Checks and measures schedules of one problem. A schedule may crash, so this object is used in a
/// child process.
class ScheduleEvaluator {
 public:
  /// The plan `first`, which must outlive this object, determines the checked outputs. Throws Error
  /// when records cannot be opened.
  ScheduleEvaluator(const Plan& first, const EvaluatorOptions& options);

  /// This function receives each schedule that is measured, just before its measurement.
  std::function<void(const std::string& schedule)> on_measure = [](const std::string&) {};

  /// This function receives each schedule that another core begins to check. The thread on that
  /// core calls it.
  std::function<void(const std::string& schedule)> on_check = [](const std::string&) {};

  /// Returns the known measurement of the schedule, from the records or an earlier call, or a new
  /// one if there is none. If it lacks samples, did not fail and is not clearly slower than
  /// `best_seconds`, the schedule gets a second measurement unless it has one, and the measurement
  /// with more samples is returned.
  Answer evaluate(const std::string& schedule,
                  double best_seconds = std::numeric_limits<double>::infinity());
  /// Returns true when compile() accepts `schedule`.
  bool can_run(const Schedule& schedule) { return checker_.can_run(schedule); }

  /// Announces the schedules that are evaluated next. If another core is available, it compiles and
  /// checks the new ones.
  void expect(const std::vector<std::string>& schedules);

  /// Returns the mean seconds per measurement, or 0 when nothing was measured.
  double seconds_per_measurement() const {
    return measurements_ == 0 ? 0 : spent_seconds_ / measurements_;
  }

 private:
  CheckedSchedule check(const std::string& schedule);
  bool is_enough(const Evaluation& evaluation, double best_seconds) const;
  Answer measure_and_record(const std::string& schedule, double best_seconds);
  Evaluation measure(const std::string& schedule, double best_seconds);

  const std::vector<int> cores_ = allowed_cores();
  const PinnedThread pinned_;
  const Plan& plan_;
  EvaluatorOptions options_;
  ScheduleChecker checker_;
  Instruments instruments_;
  Records records_;
  /// The answers of each schedule are in the order of measurement.
  std::map<std::string, std::vector<Answer>> known_;
  std::unique_ptr<AheadChecker> ahead_;  ///< This is null until another core is used.
  double spent_seconds_ = 0;
  int measurements_ = 0;
};

/// Returns the key of an evaluation in the records, without samples and failure.
Record evaluation_key(const Plan& plan, const std::string& schedule, const std::string& version);

}  // namespace tileplan
