// SPDX-License-Identifier: Apache-2.0
// This file rearranges the loops of a schedule around its register tile.
#include "untiled_nests.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "capacity.h"
#include "exact.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

using Loops = std::vector<Specifier>;

bool is_in_register_tile(const Specifier& one) {
  return one.kind == Kind::unroll || one.kind == Kind::vector;
}

bool is_reduction(const Computation& computation, const Specifier& specifier) {
  return specifier.kind == Kind::tile &&
         computation.role(computation.dim(specifier.dim)) == Role::reduction;
}

void append(Loops& loops, const Loops& more) {
  loops.insert(loops.end(), more.begin(), more.end());
}

/// Returns one loop per reduction dimension of several trips in the order of the domain, except
/// that the first loop is innermost. In a convolution, the loops over filter taps are then outside
/// the loop over channels.
Loops merge_loops(const Computation& computation, const Loops& reductions) {
  Loops loops;
  for (const std::string& name : computation.names) {
    Specifier whole{.kind = Kind::tile, .dim = name, .count = 1};
    for (const Specifier& one : reductions)
      if (one.dim == name) whole.count *= one.count;
    if (whole.count > 1) loops.push_back(std::move(whole));
  }
  if (!loops.empty()) std::rotate(loops.begin(), loops.begin() + 1, loops.end());
  return loops;
}

/// Holds the loops of a nest without cache tiles, grouped by their place in the nest.
struct LoopGroups {
  Loops batches, vectorised;
  std::vector<Loops> rows;  ///< Holds one list of loops per dimension.
  Loops reductions, register_tile;
};

LoopGroups loop_groups(const SearchContext& context) {
  const Computation& computation = context.computation;
  const Schedule all =
      to_schedule(computation, context.kernels, context.classes, {}, context.machine.vector.lanes);
  LoopGroups groups;
  for (const Specifier& one : all.loops) {
    const Dim dim = computation.dim(one.dim);
    if (is_in_register_tile(one))
      groups.register_tile.push_back(one);
    else if (dim == context.kernels.vectorised)
      groups.vectorised.push_back(one);
    else if (computation.role(dim) == Role::reduction)
      groups.reductions.push_back(one);
    else if (computation.role(dim) == Role::batch)
      groups.batches.push_back(one);
    else if (!groups.rows.empty() && groups.rows.back().front().dim == one.dim)
      groups.rows.back().push_back(one);
    else
      groups.rows.push_back({one});
  }
  return groups;
}

/// Returns the number of weights that one register tile, or a block of two sizes
/// (KernelCombo::base), needs to compute its sums completely.
std::int64_t weights_of_tile(const SearchContext& context) {
  Tile box = context.kernels.base;
  for (int d = 0; d < context.computation.dims(); ++d)
    if (context.computation.role(Dim{d}) == Role::reduction)
      box[Dim{d}] = context.computation.extent(Dim{d});
  return footprint(context.computation.tensor(Operand::weights), box);
}

/// Returns numbers of parts into which a reduction loop of `count` trips may be split so that the
/// weights of a register tile in one part fill at most half of the innermost or of the second-level
/// cache, because the other tensors or prefetched weights need the other half. The smallest number
/// for the innermost cache and the three smallest for the second-level cache are returned. A cache
/// whose half holds all weights of a register tile needs no parts.
std::set<std::int64_t> parts_of_sums(const SearchContext& context, std::int64_t count) {
  constexpr std::size_t kCaches = 2;
  constexpr std::array<std::size_t, kCaches> kChoices{1, 3};
  std::set<std::int64_t> parts;
  const auto weights = static_cast<double>(weights_of_tile(context));
  const std::int64_t bytes = context.computation.tensor(Operand::weights).element_bytes();
  for (std::size_t at = 0; at < std::min(kCaches, context.machine.caches.size()); ++at) {
    const double half = usable_units(context.machine.caches[at], bytes) / 2;
    std::size_t choices = weights <= half ? 0 : kChoices[at];
    for (const std::int64_t part : divisors(count)) {
      if (choices == 0) break;
      if (weights / static_cast<double>(part) > half) continue;
      parts.insert(part);
      --choices;
    }
  }
  return parts;
}

/// Returns the nest in which the first `place` entries of `groups.rows` are around the loops over
/// the vectorised dimension.
Schedule nest_of(const Computation& computation, const LoopGroups& groups, std::size_t place) {
  Schedule nest;
  Loops& loops = nest.loops;
  loops = groups.batches;
  for (std::size_t i = 0; i <= groups.rows.size(); ++i) {
    if (i == place) append(loops, groups.vectorised);
    if (i < groups.rows.size()) append(loops, groups.rows[i]);
  }
  append(loops, merge_loops(computation, groups.reductions));
  append(loops, groups.register_tile);
  return nest;
}

void append_nests(const Computation& computation, const LoopGroups& groups,
                  std::vector<Schedule>& nests) {
  for (std::size_t place = 0; place <= groups.rows.size(); ++place)
    nests.push_back(nest_of(computation, groups, place));
}

}  // namespace

std::vector<Schedule> sink_reductions(const Computation& computation, const Schedule& schedule) {
  Loops outer, reductions, tile;
  for (const Specifier& one : schedule.loops)
    (is_in_register_tile(one)         ? tile
     : is_reduction(computation, one) ? reductions
                                      : outer)
        .push_back(one);
  std::vector<Schedule> sunk;
  for (const Loops& inner : {reductions, merge_loops(computation, reductions)}) {
    Loops& loops = sunk.emplace_back(schedule).loops;
    loops = outer;
    append(loops, inner);
    append(loops, tile);
  }
  return sunk;
}

Schedule first_untiled_nest(const SearchContext& context) {
  return nest_of(context.computation, loop_groups(context), 0);
}

std::vector<Schedule> untiled_nests(const SearchContext& context) {
  LoopGroups groups = loop_groups(context);
  std::vector<Schedule> nests;
  append_nests(context.computation, groups, nests);
  if (groups.batches.empty() || groups.rows.empty()) return nests;
  append(groups.rows.back(), std::exchange(groups.batches, {}));
  append_nests(context.computation, groups, nests);
  return nests;
}

std::vector<Schedule> split_sums(const SearchContext& context, const Schedule& whole) {
  const auto innermost =
      std::find_if(whole.loops.rbegin(), whole.loops.rend(),
                   [&](const Specifier& one) { return is_reduction(context.computation, one); });
  std::vector<Schedule> nests;
  if (innermost == whole.loops.rend()) return nests;
  const LoopGroups groups = loop_groups(context);
  const std::size_t outside = groups.batches.size();
  const auto at = static_cast<std::size_t>(whole.loops.rend() - innermost) - 1;
  for (const std::int64_t part : parts_of_sums(context, innermost->count))
    for (const std::size_t place : std::set{outside + groups.vectorised.size(), outside}) {
      Loops& loops = nests.emplace_back(whole).loops;
      Specifier outer = loops[at];
      loops[at].count /= part;
      outer.count = part;
      if (loops[at].count == 1) loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(at));
      loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(place), outer);
    }
  return nests;
}

}  // namespace tileplan
