// SPDX-License-Identifier: Apache-2.0
// Each algorithm has a bound of its own, and the least of them bounds the plan.
#include "winograd_certificate.h"

#include <algorithm>

namespace tileplan {

Certificate with_winograd(Certificate direct, const WinogradResults& found) {
  const bool has_direct = !direct.space.empty();
  Certificate result = std::move(direct);
  if (has_direct)
    result.algorithms.push_back(
        {.algorithm = "direct", .optimum = result.optimum, .bound = result.bound});
  result.space += (has_direct ? "; " : "") + found.space_text();
  result.algorithms.insert(result.algorithms.end(), found.algorithms.begin(),
                           found.algorithms.end());
  result.nodes += found.predicted;
  const auto seconds = [](const Candidate& each) { return each.prediction.seconds; };
  const auto best = std::ranges::min_element(found.candidates.scored, {}, seconds);
  if (best != found.candidates.scored.end() &&
      (result.optimum == 0 || seconds(*best) < result.optimum)) {
    result.optimum = seconds(*best);
    result.bottleneck = best->prediction.bottleneck;
  }
  result.bound = std::ranges::min_element(result.algorithms, {}, &AlgorithmBound::bound)->bound;
  result.gap = (result.optimum - result.bound) / result.optimum;
  return result;
}

}  // namespace tileplan
