// SPDX-License-Identifier: Apache-2.0
// A session measures candidates, remembers them, and ends when its budget is spent.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tileplan {

struct Evaluation {
  std::vector<double> samples = {};  ///< They are undisturbed seconds; a failure has none.
  std::string failure = {};          ///< It says why there are no samples.
};

/// Returns the mean of the samples; infinite for a failure.
double mean_seconds(const Evaluation& evaluation);

/// Measures the candidate that a text describes (a schedule; a formula can stand in for a machine).
using Evaluator = std::function<Evaluation(const std::string& candidate)>;

struct SearchBudget {
  int measurements = 512;
  double seconds = 600;
};

struct Measured {
  std::string candidate;
  Evaluation evaluation;
  double after_seconds = 0;  ///< The session had run so long.

  double mean() const { return mean_seconds(evaluation); }
  /// Returns 1 / mean, which evolutionary strategies call fitness; 0 for a failure.
  double speed() const { return 1 / mean(); }
};

/// Measures each candidate once: asking for it again costs nothing and does not count.
class SearchSession {
 public:
  /// `clock` gives seconds; `stop` is asked before each measurement and ends the session.
  SearchSession(
      Evaluator evaluator, const SearchBudget& budget, std::function<double()> clock,
      std::function<bool()> stop = [] { return false; });

  /// Returns the measurement of `candidate`; null when it is new and the session is over.
  const Measured* measure(const std::string& candidate);

  bool knows(const std::string& candidate) const { return places_.contains(candidate); }
  bool is_over() const { return spent() >= 1 || stop_(); }
  /// Returns the share of the scarcer budget that is spent, 0 to 1.
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
