// SPDX-License-Identifier: Apache-2.0
// Measures the schedules that a strategy asks for, one at a time, and remembers them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "records.h"
#include "runner.h"
#include "session.h"
#include "tileplan/plan.h"
#include "trial.h"

namespace tileplan {

struct EvaluatorOptions {
  std::string records;  ///< database; what it knows is not measured again
  std::string version;  ///< of the program and the study: what may stand for a new measurement
  /// Undisturbed samples of each schedule: the Droplet paper's three.
  int samples = 3;
  /// Seconds after which a schedule is given up that had no undisturbed sample.
  double patience_seconds = 2;
  std::uint64_t seed = 1;
};

/// One problem on this machine, hot caches, one thread, on a pinned core. Compiles, checks against
/// exact values, then measures. Use it in a child process: candidates may crash.
class ScheduleEvaluator {
 public:
  /// `first` chooses the outputs that are checked. Throws Error when the records cannot be opened.
  ScheduleEvaluator(const Plan& first, const EvaluatorOptions& options);

  /// Called with each schedule that is about to be measured, not with those that are known.
  std::function<void(const std::string& schedule)> on_measure = [](const std::string&) {};

  Evaluation evaluate(const std::string& schedule);
  /// Whether compile() takes it.
  bool can_run(const Schedule& schedule);

  /// Seconds that the measurement of `schedule` took: compiling, checking, waiting. Nothing when it
  /// is not one of this evaluator.
  std::optional<double> seconds_of(const std::string& schedule) const;
  /// The same on average; 0 when all were known.
  double mean_seconds() const;

 private:
  Evaluation measure(const std::string& schedule);

  const PinnedThread pinned_;
  Plan plan_;  ///< its candidate is the one being compiled
  EvaluatorOptions options_;
  Tensors tensors_;
  SpotCheck spots_;
  Instruments instruments_;
  Records records_;
  std::map<std::string, Evaluation> known_;
  std::map<std::string, bool> can_run_;
  std::map<std::string, double> spent_;  ///< seconds, of what was measured here
};

/// The key of an evaluation in the records; no samples and no failure yet.
Record evaluation_key(const Plan& plan, const std::string& schedule, const std::string& version);

}  // namespace tileplan
