// SPDX-License-Identifier: Apache-2.0
// Verbs that take more than two seconds show on stderr how far they are.
#pragma once

#include <chrono>
#include <string>

namespace tileplan {

/// Shows one line with the share that is done and the time left, when stderr is a terminal. The
/// line is replaced by the next one, and cleared by clear() and at the end.
class Progress {
 public:
  /// `what` is a text like "calibrating".
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Shows `share`, from 0 to 1. The time left is known after the first second.
  void show(double share, const std::string& detail = "");
  void clear();

 private:
  std::string what_;
  std::chrono::steady_clock::time_point start_;
  bool visible_ = false;
};

/// Returns "calibrating: 40 %, 12 s left". `seconds` is the time that `share` took. The time left
/// is absent in the first second.
std::string progress_text(const std::string& what, double share, double seconds);

}  // namespace tileplan
