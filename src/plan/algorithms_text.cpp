// SPDX-License-Identifier: Apache-2.0
// This file tells which algorithm a plan chose, and how the others compare with it.
#include <algorithm>
#include <utility>

#include "tileplan/explain.h"
#include "tileplan/plan.h"
#include "tileplan/text.h"
#include "winograd_text.h"

namespace tileplan {
namespace {

constexpr const char* kDirect = "direct";

bool is_searched(const AlgorithmBound& each) { return each.optimum > 0; }

/// Returns the algorithms with the best predictions first, and those that were not searched last.
std::vector<AlgorithmBound> fastest_first(std::vector<AlgorithmBound> all) {
  std::ranges::stable_sort(all, {}, [](const AlgorithmBound& each) {
    return std::pair(!is_searched(each), each.optimum);
  });
  return all;
}

std::string algorithm_of(const Schedule& schedule) {
  return schedule.winograd ? outputs_mark(*schedule.winograd) : kDirect;
}

std::string line_of(const AlgorithmBound& each, double best, bool is_chosen) {
  std::string text = each.algorithm + (is_chosen ? ", chosen: " : ": ");
  if (!is_searched(each))
    return text + "not searched, because none of its schedules is predicted below " +
           format_seconds(each.bound) + '\n';
  text += "best prediction " + format_seconds(each.optimum);
  if (each.optimum > best) text += ", " + fixed(each.optimum / best, 2) + " times the best";
  text += ", none below " + format_seconds(each.bound);
  if (each.algorithm != kDirect)
    text += ", error bound " + fixed(each.relative_error, 2) + " times that of direct";
  return text + '\n';
}

}  // namespace

std::string winograd_peak_text() {
  return "peak counts the multiply-adds of the direct convolution; Winograd needs fewer\n";
}

std::string algorithms_text(const Plan& plan) {
  constexpr std::size_t kShown = 2;
  const std::vector<AlgorithmBound> all = fastest_first(plan.certificate.algorithms);
  const std::string chosen = algorithm_of(plan.candidates.front().schedule);
  std::string text;
  int slower = 0, excluded = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_direct = all[i].algorithm == kDirect, is_chosen = all[i].algorithm == chosen;
    const bool is_listed = is_searched(all[i]) && (plan.options.certify_full || i < kShown);
    if (is_direct || is_chosen || is_listed)
      text += line_of(all[i], all.front().optimum, is_chosen);
    else
      ++(is_searched(all[i]) ? slower : excluded);
  }
  if (slower > 0)
    text += std::to_string(slower) +
            " other algorithms have slower best predictions (--certify full lists them)\n";
  if (excluded > 0)
    text += "excluded by their bounds: " + std::to_string(excluded) + " other algorithms\n";
  return text;
}

}  // namespace tileplan
