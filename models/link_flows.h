// SPDX-License-Identifier: Apache-2.0
// This file holds the values of a schedule that predictions share, and counts the bytes on the link
// that fills one cache: models/README.md eq. (M).
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cache_pressure.h"
#include "conflicts.h"
#include "cores.h"
#include "footprint.h"
#include "link.h"
#include "next_tile_prefetch.h"
#include "prediction_rules.h"
#include "reduction.h"
#include "repack.h"
#include "short_rows.h"

namespace tileplan {

/// Counts the bytes on the link that fills one cache level from the next.
struct Link {
  double reads = 0, writes = 0;
  double streamed = 0;  ///< Counts the bytes that non-temporal stores write to memory.

  double bytes() const { return reads + writes + streamed; }
  double seconds(const Machine& machine, const CacheLevel& level) const {
    return link_seconds(level, reads, writes) + streamed_seconds(machine, streamed);
  }
};

/// Holds a schedule with values that the predictions of all cache levels need. It refers to the
/// computation, the nest and the machine, which must outlive it. Making one throws Error as
/// `layout_of` and `packed_layout` do.
struct ResolvedSchedule {
  const Computation& computation;
  const Nest& nest;
  Marks marks;
  const Machine& machine;
  PredictionRules rules;
  TensorLayout input = in_loops(Operand::input), output = in_loops(Operand::output);
  TensorLayout read = read_layout(computation, marks, nest);
  std::optional<TensorLayout> rows = weights_in_place(computation, marks);
  Cores cores = cores_of(computation, nest, machine.cores);
  /// Gives the share of the input's footprint that is loaded. Padding is not stored in the input,
  /// but packed boxes contain its zeros.
  double input_loaded = marks.pack_input ? 1 : stored_share(computation);
  /// Gives the share of the stores that conflict in the innermost cache, eq. (W), or 0 if no cache
  /// has a rate of such stores.
  double conflicting =
      has_conflict_rates() ? conflicting_stores(computation, nest, output, machine) : 0;

  /// Gives the length of written rows in cache lines. It is infinite for packed outputs, which are
  /// written in long rows, and without caches.
  double written_row = marks.pack_output || machine.caches.empty()
                           ? std::numeric_limits<double>::infinity()
                           : written_row_lines(computation.tensor(Operand::output), output, nest,
                                               line_elements(Operand::output));

  /// Tells whether the time of non-temporal stores is added in full, because caches would keep the
  /// outputs of ordinary stores, eq. (T).
  bool exposes_stores() const {
    return marks.nontemporal && !crowds_caches(computation, machine, machine.cores);
  }

  bool has_conflict_rates() const {
    return std::ranges::any_of(machine.caches, [](const CacheLevel& cache) {
      return cache.conflict_bytes_per_second > 0;
    });
  }

  TensorLayout in_loops(Operand operand) const {
    return layout_of(computation, operand, layout_in_loops(computation, marks, nest, operand));
  }

  /// Returns the number of elements of the operand in a line of the innermost cache.
  double line_elements(Operand operand) const {
    return static_cast<double>(machine.caches.front().line_bytes) /
           static_cast<double>(computation.tensor(operand).element_bytes());
  }

  double bytes_of(Operand operand, double elements) const {
    return static_cast<double>(computation.tensor(operand).element_bytes()) * elements;
  }

  /// Returns the number of bytes that the iterations of `part` touch. Input and output count by
  /// their touched share of the stored tensor, which includes the padding of channel blocks and the
  /// gaps between rows.
  double touched_bytes(const Nest& part) const {
    const Tile touched = box_inside(part, 0), whole = box_inside(nest, 0);
    const auto elements = [&](Operand operand, const Tile& box) {
      return static_cast<double>(footprint(computation.tensor(operand), box));
    };
    const auto stored_bytes = [&](Operand operand, std::int64_t stored) {
      return bytes_of(operand, static_cast<double>(stored) * elements(operand, touched) /
                                   elements(operand, whole));
    };
    return stored_bytes(Operand::input, input.elements) +
           bytes_of(Operand::weights, elements(Operand::weights, touched)) +
           stored_bytes(Operand::output, output.elements);
  }

  /// Returns true when `bytes` of `cache` hold the data that the cores of the cache touch, together
  /// with the data that the regime touches between two runs.
  bool stays_in(const CacheLevel& cache, double bytes) const {
    const Regime& regime = rules.regime;
    const double others =
        regime.kind == Regime::Kind::network ? static_cast<double>(regime.bytes) : 0;
    return touched_bytes(view_of(cores, cache).nest) + others <= bytes;
  }

  /// Returns true when the regime flushes the operand from all caches before a run.
  bool is_cold(Operand operand) const {
    if (rules.regime.kind == Regime::Kind::cold_weights) return operand == Operand::weights;
    return rules.regime.kind == Regime::Kind::all_cold;
  }

  /// Returns true when the mark `ahead` prefetches the operand into cache `at`. The cache must hold
  /// the current block and the next one, and must not be the innermost cache, into which this mark
  /// prefetches nothing. Throws Error as `next_tile_operand` does.
  bool is_prefetched(std::size_t at, Operand operand) const {
    return at > 0 && marks.ahead && next_tile_operand(computation, nest, *marks.ahead) == operand &&
           2 * next_tile_bytes(computation, nest, read, *marks.ahead) <=
               usable_bytes(machine.caches[at]);
  }
};

/// Holds a part of the traffic of one link, which streams during `share` of the execution.
struct Flow {
  Link link;
  double share = 1;
  /// Multiplies the time, because of short rows, many pages, or conflicting or scattered stores.
  double slowness = 1;
  bool prefetched = false;  ///< Tells whether the mark `ahead` prefetches this operand.
  /// Tells whether the calls that read this operand prefetch it (mark `prefetch`), so that they
  /// need not wait for it.
  bool early = false;
  /// Lists the share of the traffic that each of FlatTraffic::parts has. If it is empty, each part
  /// has as large a share of the traffic as of the computation.
  std::vector<double> of_parts = {};
};

/// Returns the traffic of cache `at` when the data may fill `bytes` of the cache and no mark
/// prefetches the input.
CacheTraffic traffic_of(const ResolvedSchedule& resolved, std::size_t at, double bytes);

/// Returns the number of elements of an operand that packing copies. A box is copied each time a
/// loop around it advances. Outputs are copied back and, where sums continue, also copied in.
/// Requires that the marks pack the operand.
double packed_elements(const ResolvedSchedule& resolved, Operand operand);

/// Returns the traffic of packing the operand on the link into the innermost cache: packing reads
/// the source and the destination, and writes the destination back.
Link packing_link(const ResolvedSchedule& resolved, Operand operand);

/// Describes the traffic of a cache whose data may fill a given number of bytes. Marks for
/// prefetches and non-temporal stores do not change it, so that schedules that differ in these
/// marks share it.
struct FilledCache {
  bool holds_all = false;  ///< Tells whether the data of all tensors stay in the cache.
  /// Is left empty when the cache holds all tensors and the regime is hot.
  CacheTraffic traffic = {};
  /// Lists the traffic of input, weights and output, in this order, without prefetches and with
  /// ordinary stores. It is empty when the cache holds all tensors and the regime is hot.
  std::vector<Flow> flows = {};
  /// Holds the traffic of packing and of conflicting input lines if the cache is the innermost one.
  std::vector<Flow> innermost = {};
  /// Lists the share of the computation in each of FlatTraffic::parts. filled_cache() leaves it
  /// empty.
  std::vector<double> compute_shares = {};
};

/// Returns the traffic of cache `at` when the data may fill `bytes` of it.
FilledCache filled_cache(const ResolvedSchedule& resolved, std::size_t at, double bytes);

/// Returns true when cache `at` is certain to have the traffic of `filled` also when the data may
/// fill `bytes` of it. Requires at least as many bytes as those of `filled`.
bool is_filled_equally(const ResolvedSchedule& resolved, std::size_t at, const FilledCache& filled,
                       double bytes);

/// Returns the traffic on the link that fills cache `at`. A cache that holds all tensors loads only
/// those that the regime makes cold. The link into the innermost cache also has the traffic of
/// packing and of conflicting input lines. Non-temporal stores, and the reads of the sums that they
/// continue, are flows of their own. Throws Error as `next_tile_operand` does.
std::vector<Flow> flows_of(const ResolvedSchedule& resolved, std::size_t at,
                           const FilledCache& filled);

}  // namespace tileplan
