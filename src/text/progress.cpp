// SPDX-License-Identifier: Apache-2.0
// An ANSI sequence erases the line on the terminal, so that each text replaces the previous one.
#include "tileplan/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace tileplan {

ProgressLine::ProgressLine(std::string what, double expected_seconds)
    : what_(std::move(what)),
      expected_seconds_(expected_seconds),
      start_(std::chrono::steady_clock::now()) {}

void ProgressLine::show(double share, const std::string& detail) {
  if (isatty(STDERR_FILENO) == 0) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  const std::string what = detail.empty() ? what_ : what_ + " " + detail;
  std::cerr << "\r\x1b[K" << progress_text(what, share, taken.count(), expected_seconds_)
            << std::flush;
  visible_ = true;
}

std::function<void(int, int)> ProgressLine::counter() {
  return [this](int done, int all) {
    std::string detail = "(";
    detail += std::to_string(done) + " of " + std::to_string(all) + ")";
    show(all > 0 ? static_cast<double>(done) / all : 1, detail);
  };
}

void ProgressLine::clear() {
  if (visible_) std::cerr << "\r\x1b[K" << std::flush;
  visible_ = false;
}

std::string progress_text(const std::string& what, double share, double seconds,
                          double expected_seconds) {
  constexpr double kPercent = 100, kMinute = 60, kSecond = 1;
  std::string text = what + ": " + std::to_string(std::lround(kPercent * share)) + " %";
  const bool is_measured = share > 0 && seconds >= kSecond;
  if (!is_measured && expected_seconds <= 0) return text;
  const double left =
      is_measured ? seconds * (1 - share) / share : std::max(0.0, expected_seconds - seconds);
  return text + ", " +
         (left < 2 * kMinute ? std::to_string(std::lround(left)) + " s left"
                             : std::to_string(std::lround(left / kMinute)) + " min left");
}

}  // namespace tileplan
