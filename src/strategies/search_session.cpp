// SPDX-License-Identifier: Apache-2.0
// A session ends when the first of its two budgets is spent, or when its `stop` returns true.
#include "search_session.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tileplan {

double mean_seconds(const Evaluation& evaluation) {
  const std::vector<double>& samples = evaluation.samples;
  if (samples.empty()) return std::numeric_limits<double>::infinity();
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

SearchSession::SearchSession(Evaluator evaluator, const SearchBudget& budget,
                             std::function<double()> clock, std::function<bool()> stop)
    : evaluator_(std::move(evaluator)),
      budget_(budget),
      clock_(std::move(clock)),
      stop_(std::move(stop)),
      start_(clock_()) {}

const Measured* SearchSession::measure(const std::string& candidate) {
  const auto known = places_.find(candidate);
  if (known != places_.end()) return &history_[known->second];
  if (is_over()) return nullptr;
  Evaluation evaluation = evaluator_(candidate);
  places_.emplace(candidate, history_.size());
  history_.push_back({.candidate = candidate,
                      .evaluation = std::move(evaluation),
                      .after_seconds = clock_() - start_});
  return &history_.back();
}

double SearchSession::spent() const {
  const double measurements =
      static_cast<double>(history_.size()) / static_cast<double>(budget_.measurements);
  return std::min(1.0, std::max(measurements, (clock_() - start_) / budget_.seconds));
}

}  // namespace tileplan
