// SPDX-License-Identifier: Apache-2.0
// Each time is a number of rows, times the cycles of one row.
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

/// Give the cycles for a row of weights that a register tile reads in place from the second cache
/// because all rows share few sets of the first cache: without prefetches, and with prefetches. The
/// values were measured on one machine (docs/experiments.md).
constexpr double kCyclesPerRow = 1.5, kCyclesPerPrefetchedRow = 1;
/// Give the additional cycles per page when a call touches more pages than a TLB has entries: for
/// rows of at most kShortRowLines lines in the first TLB, and for all rows in the second TLB. First
/// TLBs have 64 to 96 entries and second ones 1536 to 3072 since 2015 (the vendors' optimization
/// manuals); other data occupy a part of them.
constexpr double kCyclesPerShortRow = 2.5, kCyclesPerWalk = 8;
constexpr std::int64_t kShortRowLines = 3;
constexpr double kFirstTlb = 64, kSecondTlb = 1024;
/// Gives the cycles per cache line that a call prefetches beyond its last row.
constexpr double kCyclesPerLineBeyond = 2;
/// Gives the additional cycles of a prefetched row that the second cache evicts too. Rows without
/// prefetches take Overheads::apart_row_cycles instead.
constexpr double kCyclesPerEvictedPrefetch = 6;

/// Give the additional cycles of a row that comes from beyond the second cache when loops read the
/// next columns only after the rows of many pages: kCyclesPerDoubling for each doubling of the
/// pages beyond kNearPages, at most kCyclesPerFarRow in total, and kCyclesPerLostRow if its next
/// columns were loaded early into the second cache and were evicted before they were read. The
/// values were measured on one machine (docs/experiments.md).
constexpr double kNearPages = 64, kCyclesPerDoubling = 5, kCyclesPerFarRow = 15;
constexpr double kCyclesPerLostRow = 45;

/// Returns the box of weights that loops read before they read the rows of `call` again: that of a
/// call, or of more calls if the second cache has room for their rows.
Tile reread_box(const ResolvedSchedule& resolved, const Nest& branch, const Tile& call) {
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  for (std::size_t at = microkernel_begin(resolved.computation, branch); at > 0; --at) {
    const NestLoop& loop = branch.loops[at - 1];
    if (!loop.is_active() || is_present(weights, loop.dim)) continue;
    const Tile box = box_inside(branch, at);
    const auto elements = static_cast<double>(footprint(weights, box));
    const bool fits =
        resolved.bytes_of(Operand::weights, elements) <= usable_bytes(resolved.machine.caches[1]);
    return fits ? box : call;
  }
  return call;
}

/// Returns the share of the sets of the first cache that no row of the weights in `call` uses.
double unused_sets(const ResolvedSchedule& resolved, const Tile& call) {
  const CacheLevel& l1 = resolved.machine.caches.front();
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  const std::int64_t sets = sets_of(l1);
  const auto loads =
      lines_in_sets(weights, *resolved.rows, call, l1.line_bytes / weights.element_bytes(), sets);
  return static_cast<double>(std::ranges::count(loads, 0)) / static_cast<double>(sets);
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
  const bool is_short = lines_of(resolved, row) <= kShortRowLines && resolved.marks.prefetch == 0;
  return pages / rows *
         ((is_short && pages > kFirstTlb ? kCyclesPerShortRow : 0) +
          (pages > kSecondTlb ? kCyclesPerWalk : 0));
}

/// Returns the share of the rows of weights that the second cache evicts before they are read
/// again.
double evicted_rows(const ResolvedSchedule& resolved, const Nest& branch, const Tile& call) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  if (caches.size() < 2) return 1;
  return evicted_share(resolved.computation, *resolved.rows, reread_box(resolved, branch, call),
                       caches[1]);
}

/// Returns the cycles that one row of `call` takes when all rows share one set of the first cache
/// and the second cache evicts the share `evicted` of them. A row consists of `row` weights.
double cycles_per_row(const ResolvedSchedule& resolved, const Tile& call, std::int64_t row,
                      double evicted) {
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  if (resolved.marks.prefetch == 0)
    return kCyclesPerRow + evicted * resolved.machine.rates.overheads.apart_row_cycles;
  const std::int64_t rows = footprint(weights, call) / row;
  const auto beyond = static_cast<double>(resolved.marks.prefetch * lines_of(resolved, row));
  return kCyclesPerPrefetchedRow + kCyclesPerLineBeyond * beyond / static_cast<double>(rows) +
         evicted * kCyclesPerEvictedPrefetch;
}

/// Returns the additional cycles of one row whose next columns are read only after `box`.
double returned_row_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  const double pages = pages_of_weights(resolved.computation, *resolved.rows, box);
  const double doublings = std::log2(std::max(1.0, pages / kNearPages));
  return std::min(kCyclesPerDoubling * doublings, kCyclesPerFarRow) +
         kCyclesPerLostRow *
             evicted_share(resolved.computation, *resolved.rows, box, resolved.machine.caches[1]);
}

/// Returns true when register tiles read vectors of weights in place.
bool reads_rows(const ResolvedSchedule& resolved) {
  return resolved.rows && !resolved.machine.caches.empty() &&
         weights_dim(resolved.computation, resolved.nest.vectorised) == resolved.nest.vectorised;
}

/// Returns the mean number of weights of a row that a register tile reads.
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

/// Returns the number of rows of weights that enter cache `at`.
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
  const Nest branch = branches_of(resolved.nest).front().nest;
  const Tile call = box_inside(branch, microkernel_begin(resolved.computation, branch));
  const std::int64_t row = branch.base[resolved.nest.vectorised];
  const double cycles = translation_cycles(resolved, call, row) +
                        cycles_per_row(resolved, call, row, evicted_rows(resolved, branch, call)) *
                            unused_sets(resolved, call);
  return rows_into(resolved, 0) * cycles / resolved.machine.clock.hertz;
}

double returned_rows_seconds(const ResolvedSchedule& resolved) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  if (!reads_rows(resolved) || caches.size() < 3 ||
      resolved.stays_in(caches[1], usable_bytes(caches[1])))
    return 0;
  const Nest branch = branches_of(resolved.nest).front().nest;
  const std::size_t begin = microkernel_begin(resolved.computation, branch);
  for (std::size_t at = begin; at > 0; --at) {
    const NestLoop& loop = branch.loops[at - 1];
    if (!loop.is_active() || loop.dim != resolved.nest.vectorised) continue;
    const double cycles = returned_row_cycles(resolved, box_inside(branch, at)) -
                          returned_row_cycles(resolved, box_inside(branch, begin));
    return rows_into(resolved, 1) * std::max(0.0, cycles) / resolved.machine.clock.hertz;
  }
  return 0;
}

}  // namespace tileplan
