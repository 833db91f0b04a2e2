// SPDX-License-Identifier: Apache-2.0
// The line is written over itself with ANSI sequences.
#include "progress.h"

#include <unistd.h>

#include <cmath>
#include <iostream>

namespace tileplan {

Progress::Progress(std::string what)
    : what_(std::move(what)), start_(std::chrono::steady_clock::now()) {}

void Progress::show(double share, const std::string& detail) {
  if (isatty(STDERR_FILENO) == 0) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  const std::string what = detail.empty() ? what_ : what_ + " " + detail;
  std::cerr << "\r\x1b[K" << progress_text(what, share, taken.count()) << std::flush;
  visible_ = true;
}

void Progress::clear() {
  if (visible_) std::cerr << "\r\x1b[K" << std::flush;
  visible_ = false;
}

std::string progress_text(const std::string& what, double share, double seconds) {
  constexpr double kPercent = 100, kMinute = 60, kSecond = 1;
  std::string text = what + ": " + std::to_string(std::lround(kPercent * share)) + " %";
  if (share <= 0 || seconds < kSecond) return text;
  const double left = seconds * (1 - share) / share;
  return text + ", " +
         (left < 2 * kMinute ? std::to_string(std::lround(left)) + " s left"
                             : std::to_string(std::lround(left / kMinute)) + " min left");
}

}  // namespace tileplan
