// SPDX-License-Identifier: Apache-2.0
// Each time is the number of rows that enter a cache, times the additional cycles of one row.
#include "apart_rows.h"

#include <algorithm>
#include <cmath>

#include "branches.h"
#include "capacity.h"
#include "conflicts.h"
#include "footprint.h"
#include "integers.h"
#include "short_rows.h"

namespace tileplan {
namespace {

/// A call that touches more than kSecondTlb pages takes kCyclesPerWalk more per page. If it touches
/// more than kFirstTlb pages and prefetches no rows, rows of at most kShortRowLines cache lines
/// take RowsInPlace::in_many_pages more per page. First TLBs have 64 to 96 entries and second ones
/// 1536 to 3072 since 2015 (the vendors' optimization manuals); other data occupy a part of them.
constexpr double kCyclesPerWalk = 8;
constexpr std::int64_t kShortRowLines = 3;
constexpr double kFirstTlb = 64, kSecondTlb = 1024;
/// Gives the cycles per cache line that a call prefetches beyond its last row.
constexpr double kCyclesPerLineBeyond = 2;

/// Give the additional cycles of a row that comes from beyond the second cache, when loops read its
/// next columns only after the rows of many pages. Each doubling of the pages beyond kNearPages
/// adds kCyclesPerDoubling, up to kCyclesPerFarRow in total. A row takes kCyclesPerLostRow more if
/// its next columns were loaded early into the second cache and were evicted before they were read.
/// The values were measured on one machine (docs/experiments.md).
constexpr double kNearPages = 64, kCyclesPerDoubling = 5, kCyclesPerFarRow = 15;
constexpr double kCyclesPerLostRow = 45;

/// Returns the iterations after which the rows of `call` are read again: the box inside the
/// innermost loop around `call` that reuses weights, or `call` itself if there is no such loop or
/// if the second cache has no room for the rows of that box. Requires two caches.
Tile reread_box(const ResolvedSchedule& resolved, const Branch& branch, const Tile& call) {
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  for (std::size_t at = microkernel_begin(resolved.computation, branch); at > 0; --at) {
    const NestLoop& loop = branch.nest.loops[at - 1];
    if (!loop.is_active() || is_present(weights, loop.dim)) continue;
    const Tile box = box_inside(branch.nest, at);
    const auto elements = static_cast<double>(footprint(weights, box));
    const bool fits =
        resolved.bytes_of(Operand::weights, elements) <= usable_bytes(resolved.machine.caches[1]);
    return fits ? box : call;
  }
  return call;
}

/// Describes where the rows of a call lie in the first cache.
struct Crowding {
  /// Gives the product of two shares: the share of the lines that lie in sets with at least as many
  /// lines as ways, where other data evict them, and the share of the sets that hold no line.
  double share = 0;
  /// Counts the sets with lines.
  double used_sets = 0;
};

Crowding crowding_of(const ResolvedSchedule& resolved, const Tile& call) {
  const CacheLevel& l1 = resolved.machine.caches.front();
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  const std::int64_t sets = sets_of(l1);
  double lines = 0, crowded = 0, used = 0;
  for (const std::int64_t load : lines_in_sets(weights, *resolved.rows, call,
                                               l1.line_bytes / weights.element_bytes(), sets)) {
    lines += static_cast<double>(load);
    if (load >= l1.ways) crowded += static_cast<double>(load);
    if (load > 0) ++used;
  }
  return {.share = crowded / lines * (1 - used / static_cast<double>(sets)), .used_sets = used};
}

/// Returns the number of cache lines of a row of `row` weights.
std::int64_t lines_of(const ResolvedSchedule& resolved, std::int64_t row) {
  return ceil_div(row * resolved.computation.tensor(Operand::weights).element_bytes(),
                  resolved.machine.caches.front().line_bytes);
}

/// Returns the cycles that one row of `call` waits for the translation of its address. Rows in one
/// page share these cycles.
double translation_cycles(const ResolvedSchedule& resolved, const Tile& call, std::int64_t row) {
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  const double rows = static_cast<double>(footprint(weights, call)) / static_cast<double>(row);
  const double pages = pages_of_weights(resolved.computation, *resolved.rows, call);
  const RowsInPlace& cycles = resolved.machine.rates.overheads.rows_in_place;
  const bool is_short = lines_of(resolved, row) <= kShortRowLines && resolved.marks.prefetch == 0;
  return pages / rows *
         ((is_short && pages > kFirstTlb ? cycles.in_many_pages : 0) +
          (pages > kSecondTlb ? kCyclesPerWalk : 0));
}

/// Returns the share of the rows of weights that the second cache evicts before they are read
/// again, or 1 without a second cache.
double evicted_rows(const ResolvedSchedule& resolved, const Branch& branch, const Tile& call) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  if (caches.size() < 2) return 1;
  return evicted_share(resolved.computation, *resolved.rows, reread_box(resolved, branch, call),
                       caches[1]);
}

/// Returns the additional cycles of one row when the sets that hold lines of a call have room for
/// addresses with `places` different values modulo the size of a way, and the second cache evicts
/// the share `evicted` of the rows. For rows that the second cache keeps, the cycles are a power
/// function of `places` through the measured cycles of one and of two places, and at most those of
/// one place. Evicted rows take further measured cycles.
double crowded_cycles(const ResolvedSchedule& resolved, double places, double evicted) {
  const RowsInPlace& cycles = resolved.machine.rates.overheads.rows_in_place;
  const bool early = resolved.marks.prefetch > 0;
  const double one = early ? cycles.crowded_prefetched : cycles.crowded;
  const double two = early ? cycles.near_prefetched : cycles.near;
  const double added = early ? cycles.evicted_prefetched : cycles.evicted;
  const double kept = two < one && places > 1 ? one * std::pow(places, std::log2(two / one)) : one;
  return kept + evicted * added;
}

/// Returns the cycles per row of `call` for the lines that the call prefetches beyond its last row.
/// A row consists of `row` weights.
double beyond_cycles(const ResolvedSchedule& resolved, const Tile& call, std::int64_t row) {
  const std::int64_t rows = footprint(resolved.computation.tensor(Operand::weights), call) / row;
  const auto beyond = static_cast<double>(resolved.marks.prefetch * lines_of(resolved, row));
  return kCyclesPerLineBeyond * beyond / static_cast<double>(rows);
}

/// Returns the additional cycles of one row whose next columns are read only after all iterations
/// of `box`.
double returned_row_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  const double pages = pages_of_weights(resolved.computation, *resolved.rows, box);
  const double doublings = std::log2(std::max(1.0, pages / kNearPages));
  return std::min(kCyclesPerDoubling * doublings, kCyclesPerFarRow) +
         kCyclesPerLostRow *
             evicted_share(resolved.computation, *resolved.rows, box, resolved.machine.caches[1]);
}

/// Returns true when register tiles read vectors of weights in place on a machine with caches.
bool reads_rows(const ResolvedSchedule& resolved) {
  return resolved.rows && !resolved.machine.caches.empty() &&
         weights_dim(resolved.computation, resolved.nest.vectorised) == resolved.nest.vectorised;
}

/// Returns the number of weights of a row that a register tile reads, as the mean over the steps of
/// all calls.
double mean_row(const ResolvedSchedule& resolved) {
  double weights = 0, rows = 0;
  for (const Branch& branch : branches_of(resolved.nest)) {
    const Calls calls = calls_of(resolved.computation, branch);
    rows += calls.calls * calls.steps;
    weights +=
        calls.calls * calls.steps * static_cast<double>(branch.nest.base[resolved.nest.vectorised]);
  }
  return weights / rows;
}

/// Returns the number of rows of weights that enter the caches of level `at`, summed over all
/// cores.
double rows_into(const ResolvedSchedule& resolved, std::size_t at) {
  const CacheLevel& level = resolved.machine.caches[at];
  const CacheTraffic traffic = traffic_of(resolved, at, usable_bytes(level));
  return volumes_of_all(resolved.computation, view_of(resolved.cores, level), traffic.flat.volumes,
                        box_inside(resolved.nest, 0))[Operand::weights] /
         mean_row(resolved);
}

}  // namespace

double apart_rows_seconds(const ResolvedSchedule& resolved) {
  if (!reads_rows(resolved)) return 0;
  const Branch branch = branches_of(resolved.nest).front();
  const Tile call = box_inside(branch.nest, microkernel_begin(resolved.computation, branch));
  const std::int64_t row = branch.nest.base[resolved.nest.vectorised];
  const Crowding crowding = crowding_of(resolved, call);
  const double places = crowding.used_sets / static_cast<double>(lines_of(resolved, row));
  const double cycles =
      translation_cycles(resolved, call, row) + beyond_cycles(resolved, call, row) +
      crowding.share * crowded_cycles(resolved, places, evicted_rows(resolved, branch, call));
  return rows_into(resolved, 0) * cycles / resolved.machine.clock.hertz;
}

double returned_rows_seconds(const ResolvedSchedule& resolved) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  if (!reads_rows(resolved) || caches.size() < 3 ||
      resolved.stays_in(caches[1], usable_bytes(caches[1])))
    return 0;
  const Branch branch = branches_of(resolved.nest).front();
  const std::size_t begin = microkernel_begin(resolved.computation, branch);
  for (std::size_t at = begin; at > 0; --at) {
    const NestLoop& loop = branch.nest.loops[at - 1];
    if (!loop.is_active() || loop.dim != resolved.nest.vectorised) continue;
    const double cycles = returned_row_cycles(resolved, box_inside(branch.nest, at)) -
                          returned_row_cycles(resolved, box_inside(branch.nest, begin));
    return rows_into(resolved, 1) * std::max(0.0, cycles) / resolved.machine.clock.hertz;
  }
  return 0;
}

}  // namespace tileplan
