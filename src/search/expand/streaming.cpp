// SPDX-License-Identifier: Apache-2.0
// What is cheap to ask is asked first.
#include "streaming.h"

#include <algorithm>

#include "branches.h"
#include "cache_pressure.h"
#include "cost.h"
#include "repack.h"

namespace tileplan {

namespace {

bool splits_sums(const Computation& computation, const Nest& nest) {
  const std::vector<Branch> branches = branches_of(nest);
  return std::any_of(branches.begin(), branches.end(), [&](const Branch& branch) {
    return calls_of(computation, branch).resumed > 0;
  });
}

}  // namespace

std::optional<Candidate> streamed(const Pricing& pricing, const Candidate& candidate,
                                  const Nest& nest) {
  const Computation& computation = pricing.computation;
  if (pricing.accumulates) return std::nullopt;
  Schedule schedule = candidate.schedule;
  if (!crowds_caches(computation, pricing.machine, pricing.machine.cores) ||
      splits_sums(computation, nest))
    return std::nullopt;
  if (layout_in_loops(computation, schedule, nest, Operand::output) != schedule.out)
    return std::nullopt;
  const TensorLayout output = layout_of(computation, Operand::output, schedule.out);
  if (!why_unaligned(computation, output, nest.vectorised, pricing.machine.vector.lanes).empty())
    return std::nullopt;
  schedule.nontemporal = true;
  const Prediction prediction =
      predict_nest(computation, schedule, pricing.machine, pricing.capacity);
  if (leaves_caches(computation, pricing.machine) &&
      prediction.seconds >= candidate.prediction.seconds)
    return std::nullopt;
  return Candidate{
      .schedule = std::move(schedule), .prediction = prediction, .measurement = std::nullopt};
}

}  // namespace tileplan
