// SPDX-License-Identifier: Apache-2.0
// ProgressLine shows on stderr how much of a long call is finished, such as a call of report() with
// ReportOptions::progress.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Shows one line with the finished share and the remaining time if stderr is a terminal. The next
/// line replaces the previous one. clear() and the destructor remove the line.
class ProgressLine {
 public:
  /// Prepares a line about `what`, such as "calibrating", which show() prints, and starts the
  /// clock. The whole work is expected to take `expected_seconds`, or an unknown time if this is 0.
  explicit ProgressLine(std::string what, double expected_seconds = 0);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  /// Shows `share`, from 0 to 1, with `detail` after the name of the work. After the first second,
  /// the remaining time is extrapolated from the time that the share took.
  void show(double share, const std::string& detail = "");
  void clear();

  /// Returns a function that shows how many of `all` pieces of work are done, such as "(3 of 20)".
  /// The function refers to this object and must not be called after its destruction.
  std::function<void(int done, int all)> counter();

 private:
  std::string what_;
  double expected_seconds_;
  std::chrono::steady_clock::time_point start_;
  bool visible_ = false;
};

/// Returns a text such as "calibrating: 40 %, 12 s left". `seconds` is the time since the start. In
/// the first second, and while nothing is done, the remaining time is the rest of
/// `expected_seconds`, or is left out when `expected_seconds` is 0.
std::string progress_text(const std::string& what, double share, double seconds,
                          double expected_seconds = 0);

}  // namespace tileplan
