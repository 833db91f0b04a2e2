// SPDX-License-Identifier: Apache-2.0
// A session measures candidates and remembers them. It ends when its budget is spent or the user
// asks to stop.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tileplan {

struct Evaluation {
  std::vector<double> samples = {};  ///< Holds the valid samples in seconds.
  std::string failure = {};          ///< If there are no samples, this text tells the reason.
};

/// Returns the mean of the samples, or infinity for a failure.
double mean_seconds(const Evaluation& evaluation);

/// Measures the candidate with this text, which is a schedule or, in tests, any value.
using Evaluator = std::function<Evaluation(const std::string& candidate)>;

struct SearchBudget {
  int measurements = 512;
  double seconds = 600;
};

struct Measured {
  std::string candidate;
  Evaluation evaluation;
  /// The measurement ended this many seconds after the start of the session.
  double after_seconds = 0;

  double mean() const { return mean_seconds(evaluation); }
  /// Returns 1 / mean, which evolutionary strategies call fitness, or 0 for a failure.
  double speed() const { return 1 / mean(); }
};

/// Measures each candidate once. A repeated request returns the known result and costs no budget.
class SearchSession {
 public:
  /// `clock` returns seconds. The session ends when `stop` returns true before a measurement.
  SearchSession(
      Evaluator evaluator, const SearchBudget& budget, std::function<double()> clock,
      std::function<bool()> stop = [] { return false; });

  /// Returns the measurement of `candidate`, which the session owns, or null when the candidate is
  /// new and the session has ended.
  const Measured* measure(const std::string& candidate);

  /// Calls on_expect, if it is set, with the candidates that come next, so that the evaluator can
  /// prepare them. The session may end before they are measured.
  void expect(const std::vector<std::string>& candidates) const {
    if (on_expect) on_expect(candidates);
  }
  std::function<void(const std::vector<std::string>& candidates)> on_expect = nullptr;

  bool knows(const std::string& candidate) const { return places_.contains(candidate); }
  bool is_over() const { return spent() >= 1 || stop_(); }
  /// Returns the larger of the spent shares of measurements and of seconds, from 0 to 1.
  double spent() const;
  const std::deque<Measured>& history() const { return history_; }

 private:
  Evaluator evaluator_;
  SearchBudget budget_;
  std::function<double()> clock_;
  std::function<bool()> stop_;
  double start_;
  std::deque<Measured> history_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace tileplan
