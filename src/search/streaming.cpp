// SPDX-License-Identifier: Apache-2.0
// What is cheap to ask is asked first.
#include "streaming.h"

#include <algorithm>

#include "branches.h"
#include "capacity.h"
#include "cost.h"
#include "footprint.h"
#include "repack.h"

namespace tileplan {

namespace {

bool splits_sums(const Computation& computation, const Nest& nest) {
  const std::vector<Branch> branches = branches_of(nest);
  return std::any_of(branches.begin(), branches.end(), [&](const Branch& branch) {
    return calls_of(computation, branch).resumed > 0;
  });
}

/// Padding included.
double bytes_of(const Computation& computation, const TensorAccess& tensor) {
  return static_cast<double>(computation.element_bytes() *
                             footprint(tensor, extents_of(computation)));
}

double bytes_of_all(const Computation& computation) {
  double bytes = 0;
  for (const TensorAccess& tensor : computation.tensors) bytes += bytes_of(computation, tensor);
  return bytes;
}

/// What the caches before the last one keep, those of `cores`.
double bytes_before_last(const Machine& machine, int cores) {
  if (machine.caches.size() < 2) return 0;
  const CacheLevel& cache = machine.caches[machine.caches.size() - 2];
  return caches_of(cache, cores) * usable_bytes(cache);
}

}  // namespace

bool crowds_caches(const Computation& computation, const Machine& machine, int cores) {
  constexpr double kCrowded = 0.25;
  if (machine.caches.empty()) return false;
  const auto last = static_cast<double>(machine.caches.back().capacity_bytes);
  return bytes_of_all(computation) > kCrowded * last &&
         bytes_of(computation, computation.tensor(Operand::output)) >
             bytes_before_last(machine, cores);
}

bool leaves_caches(const Computation& computation, const Machine& machine) {
  return !machine.caches.empty() && bytes_of_all(computation) > usable_bytes(machine.caches.back());
}

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
