// SPDX-License-Identifier: Apache-2.0
// This file chooses the combinations of microkernels that each stage searches, and the limits of
// each search. In this file, a KernelCombo `kernels` is one combination.
#include "search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "exact.h"
#include "expand_schedules.h"
#include "layouts.h"
#include "loop_moves.h"
#include "reduction.h"

namespace tileplan {
namespace {

/// We search 24 register tilings first. The fastest 10 keep many near-optimal schedules; the other
/// 14 keep three each, which halves planning time.
constexpr int kTilings = 24;
constexpr std::size_t kTilingsKeptInFull = 10;
constexpr ExactOptions kKeepThree{.slack = 0.06, .keep = 3};
constexpr ExactOptions kOptimumAlone{.slack = 0, .keep = 1};
/// Limits the tiles that search_divisor_tiles() visits for all combinations together.
constexpr std::int64_t kMostNodes = 8000;
/// Limits the tiles of the search of one combination, as a multiple of its even share of the
/// remaining tiles.
constexpr std::int64_t kMostShares = 4;

/// Uneven splits are searched for the two combinations with the best schedules, which takes a tenth
/// of a plan's time.
constexpr std::size_t kUnevenTilings = 2;
constexpr ExactOptions kUneven{.slack = 0, .keep = 3, .most_nodes = 200, .splits = Splits::uneven};

constexpr int kPixelTilings = 10;
constexpr ExactOptions kPixels{.slack = 0.1, .keep = 4, .most_nodes = 200};

/// Mixed tilings (mixed_tilings.h) may take at most this share of the least time of other
/// combinations.
constexpr double kWorthMixing = 0.98;

/// Limits the combinations that are considered for nests without cache tiles, some 0.01 ms each.
constexpr std::size_t kUntiledConsidered = 64;
/// Replaces kUntiledConsidered where pixels of the fastest register tile share too few sets of the
/// innermost cache. Smaller tiles without such conflicts have slower calls and come late in the
/// list.
constexpr std::size_t kConsideredInConflict = 1024;
/// Limits the combinations whose nests are predicted, some 0.1 ms each. Larger numbers find hardly
/// any better schedules (docs/experiments.md).
constexpr std::size_t kUntiledPredicted = 8;

/// Limits the time of calls with narrow vectors, as a share of the time of calls with wide vectors
/// and of the best prediction. Narrow vectors lose more when a sibling hardware thread is busy
/// (docs/experiments.md).
constexpr double kWorthNarrow = 0.9;

SearchContext context_of(const SearchSpace& space, const KernelCombo& kernels) {
  return {space.computation, kernels, space.classes, space.machine, space.options};
}

/// Returns the dimensions that microkernels can vectorise in some allowed layout, `vectorised_dim`
/// first.
std::vector<Dim> dims_of(const SearchSpace& space) {
  std::vector<Dim> dims = vectorised_dims(space.computation, space.machine.vector.lanes);
  std::erase_if(dims, [&](Dim dim) {
    return layouts_of(space.computation, space.options.layout, space.machine.vector, dim).empty();
  });
  return dims;
}

ExactResult run_exact(const SearchSpace& space, const KernelCombo& kernels, ExactOptions limits) {
  limits.capacity = space.options.capacity;
  return exact_search(space.computation, kernels, space.classes, space.machine, limits);
}

void note_compute(const SearchSpace& space, const KernelCombo& tried, SearchResults& found) {
  const double share = array_share(space.computation, tried.vectorised);
  const auto at = found.least_compute_seconds.try_emplace(tried.vectorised, HUGE_VAL).first;
  at->second = std::min(at->second, share * tried.compute_seconds);
}

/// Searches `kernels` and scores the schedules. The number of tiles that may still be visited is
/// shared with the `left` combinations that follow.
void search_kernels(const SearchSpace& space, const KernelCombo& kernels, std::size_t left,
                    ExactOptions limits, SearchResults& found) {
  const std::int64_t nodes = std::max<std::int64_t>(0, kMostNodes - found.record.nodes);
  limits.most_nodes =
      std::min(nodes, kMostShares * nodes / static_cast<std::int64_t>(left + 1) + 1);
  limits.incumbent = found.record.optimum();
  const ExactResult result = run_exact(space, kernels, limits);
  found.record.add(&SearchRecord::divisors, kernels, result);
  found.combos.push_back(kernels);
  note_compute(space, kernels, found);
  expand_schedules(found.candidates, context_of(space, kernels), result);
}

/// Returns up to `most` different combinations of the best schedules.
std::vector<KernelCombo> best_kernels(const SearchRecord& record, std::size_t most) {
  std::vector<KernelCombo> best;
  for (const SearchRecord::Entry& entry : record.best)
    if (best.size() < most && std::ranges::find(best, entry.kernels) == best.end())
      best.push_back(entry.kernels);
  return best;
}

/// Sorts the combinations `kernels` by busiest_share(), which is computed once for each.
void sort_by_busiest_share(const SearchSpace& space, std::span<KernelCombo> kernels) {
  std::vector<std::pair<double, KernelCombo>> shares;
  for (KernelCombo& each : kernels) {
    const double share = busiest_share(space.computation, each, space.machine);
    shares.emplace_back(share, std::move(each));
  }
  std::ranges::stable_sort(shares, {}, &std::pair<double, KernelCombo>::first);
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i] = std::move(shares[i].second);
}

/// Returns at most kUntiledPredicted combinations with the least sum of the time of calls on the
/// busiest core and of seconds_besides_calls() divided by the cores. With several cores, only the
/// first half of the list is chosen by this sum. The second half holds those of the other
/// combinations whose calls the cores share most evenly.
std::vector<KernelCombo> untiled_kernels(const SearchSpace& space, double below, Dim dim) {
  const bool is_shared = space.machine.cores > 1;
  TilingLimits limits{.seconds = below, .keep = kUntiledConsidered};
  const auto listed = [&] {
    return balanced_kernels_below(space.computation, space.machine, limits, dim);
  };
  std::vector<KernelCombo> all = listed();
  if (!all.empty() && conflict_seconds(context_of(space, all.front())) > 0) {
    limits.keep = kConsideredInConflict;
    limits.every_size = true;
    all = listed();
  }
  for (KernelCombo& each : all)
    each.compute_seconds += seconds_besides_calls(context_of(space, each)) / space.machine.cores;
  std::ranges::stable_sort(all, {}, &KernelCombo::compute_seconds);
  const auto fastest = all.begin() + static_cast<std::ptrdiff_t>(std::min(
                                         all.size(), kUntiledPredicted / (is_shared ? 2 : 1)));
  // If the links of the busiest core are the bottleneck, an even distribution matters more than
  // the speed of the calls.
  if (is_shared) sort_by_busiest_share(space, {fastest, all.end()});
  if (all.size() > kUntiledPredicted) all.resize(kUntiledPredicted);
  return all;
}

/// Returns the seconds that one core needs for the fastest calls with vectors along `dim`.
double fastest_calls(const Computation& computation, const Machine& machine, Dim dim) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const KernelCombo& kernels : kernel_combos(computation, machine, 1, dim))
    fastest = std::min(fastest, array_share(computation, dim) * kernels.compute_seconds);
  return fastest;
}

}  // namespace

SearchResults search_divisor_tiles(const SearchSpace& space) {
  SearchResults found;
  const std::vector<KernelCombo> few = kernel_combos(space.computation, space.machine, kTilings);
  for (std::size_t i = 0; i < few.size(); ++i)
    search_kernels(space, few[i], few.size() - i - 1,
                   i < kTilingsKeptInFull ? ExactOptions{} : kKeepThree, found);
  KernelSpace rest = kernels_below(space.computation, space.machine, found.record.optimum(),
                                   dims_of(space).front());
  std::erase_if(rest.below, [&](const KernelCombo& each) {
    return std::ranges::any_of(few, [&](const KernelCombo& other) {
      return other.base == each.base && other.compute_seconds <= each.compute_seconds;
    });
  });
  for (std::size_t i = 0; i < rest.below.size(); ++i)
    search_kernels(space, rest.below[i], rest.below.size() - i - 1, kOptimumAlone, found);
  found.record.all_combos = rest.all;
  return found;
}

SearchResults search_uneven_tiles(const SearchSpace& space, SearchResults found) {
  for (const KernelCombo& kernels : best_kernels(found.record, kUnevenTilings)) {
    if (!has_uneven_splits(space.computation, kernels, space.machine.vector.lanes)) continue;
    ExactOptions limits = kUneven;
    limits.incumbent = found.record.optimum();
    const ExactResult result = run_exact(space, kernels, limits);
    found.record.add(&SearchRecord::uneven, kernels, result);
    expand_uneven_schedules(found.candidates, context_of(space, kernels), result);
  }
  return found;
}

SearchResults search_pixel_vectors(const SearchSpace& space, SearchResults found) {
  const std::vector<Dim> dims = dims_of(space);
  for (const Dim dim : std::vector(dims.begin() + 1, dims.end())) {
    // The per-level model counts all steps on one core, but predictions count only steps outside
    // the padding, on all cores.
    const double share = array_share(space.computation, dim);
    for (const KernelCombo& kernels :
         kernel_combos(space.computation, space.machine, kPixelTilings, dim)) {
      ExactOptions limits = kPixels;
      limits.incumbent = found.candidates.best_seconds * space.machine.cores / share;
      expand_schedules(found.candidates, context_of(space, kernels),
                       run_exact(space, kernels, limits));
      note_compute(space, kernels, found);
    }
  }
  return found;
}

SearchResults search_mixed_tilings(const SearchSpace& space, SearchResults found) {
  for (const Dim dim : dims_of(space)) {
    // Vectors along different dimensions need different packing, so that only combinations with
    // vectors along one dimension are compared by the time of their calls.
    const double best = found.candidates.best_seconds * space.machine.cores;
    const double below = std::min(kWorthMixing * found.least_compute_seconds.at(dim), best) /
                         array_share(space.computation, dim);
    for (const KernelCombo& kernels : mixed_combos(space.computation, space.machine, below, dim))
      expand_untiled_nests(found.candidates, context_of(space, kernels));
  }
  return found;
}

SearchResults search_untiled_nests(const SearchSpace& space, SearchResults found) {
  for (const Dim dim : dims_of(space)) {
    const double below = found.candidates.best_seconds / array_share(space.computation, dim);
    for (const KernelCombo& kernels : untiled_kernels(space, below, dim))
      expand_untiled_nests(found.candidates, context_of(space, kernels));
  }
  return found;
}

SearchResults search_loop_orders(const SearchSpace& space, SearchResults found) {
  improve_loop_orders(found.candidates, {space.computation, space.machine, space.options});
  return found;
}

std::optional<Machine> promising_narrow_vectors(const SearchSpace& space, double seconds) {
  const Machine& machine = space.machine;
  if (!machine.narrow || machine.narrow->kernels.empty() != machine.rates.kernels.empty())
    return std::nullopt;
  const Machine narrow = with_narrow_unit(machine);
  if (!has_layouts(space.computation, space.options.layout, narrow.vector)) return std::nullopt;
  for (const Dim dim : vectorised_dims(space.computation, narrow.vector.lanes)) {
    const double calls = fastest_calls(space.computation, narrow, dim);
    if (calls <= kWorthNarrow * seconds * narrow.cores &&
        calls <= kWorthNarrow * fastest_calls(space.computation, machine, dim))
      return narrow;
  }
  return std::nullopt;
}

}  // namespace tileplan
