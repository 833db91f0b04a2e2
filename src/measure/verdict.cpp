// SPDX-License-Identifier: Apache-2.0
// Compares times of different sessions, which are not paired, by their intervals.
#include "verdict.h"

#include <algorithm>

namespace tileplan {

namespace {

/// The undisturbed samples that the first test of a race needs. Where the ranges of five and five
/// do not meet, the rank-sum test agrees at 1/252.
constexpr int kFewestSamples = 5;

bool is_faster(const Measurement& one, const Measurement& other) {
  return one.median_seconds < other.median_seconds;
}

bool is_clearly_slower(const Measurement& slow, const Measurement& fast) {
  return std::min(slow.kept, fast.kept) >= kFewestSamples && slow.low_seconds > fast.high_seconds;
}

}  // namespace

Verdict joint_verdict(const Comparison& one, const Comparison& other) {
  if (other.measured.empty()) return one.verdict;
  if (one.measured.empty()) return other.verdict;
  const auto first = std::min_element(one.measured.begin(), one.measured.end(), is_faster);
  const auto second = std::min_element(other.measured.begin(), other.measured.end(), is_faster);
  if (is_faster(*second, *first)) return joint_verdict(other, one);
  return std::all_of(other.measured.begin(), other.measured.end(),
                     [&](const Measurement& each) { return is_clearly_slower(each, *first); })
             ? one.verdict
             : Verdict::undecided;
}

}  // namespace tileplan
