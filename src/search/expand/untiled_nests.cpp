// SPDX-License-Identifier: Apache-2.0
// This file rearranges the loops of a schedule around its register tile.
#include "untiled_nests.h"

#include <algorithm>
#include <set>

#include "capacity.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {

namespace {

bool is_reduction(const Computation& computation, const Specifier& specifier) {
  return specifier.kind == Kind::tile &&
         computation.role(computation.dim(specifier.dim)) == Role::reduction;
}

/// Returns one loop per reduction dim, in domain order but with the first innermost, so that the
/// filter taps are around all channels.
std::vector<Specifier> merge_loops(const Computation& computation,
                                   const std::vector<Specifier>& reductions) {
  std::vector<Specifier> loops;
  for (int d = 0; d < computation.dims(); ++d) {
    Specifier whole{.kind = Kind::tile, .dim = computation.name(Dim{d}), .count = 1, .parts = {}};
    for (const Specifier& one : reductions)
      if (one.dim == whole.dim) whole.count *= one.count;
    if (whole.count > 1) loops.push_back(std::move(whole));
  }
  if (!loops.empty()) std::rotate(loops.begin(), loops.begin() + 1, loops.end());
  return loops;
}

}  // namespace

std::vector<Schedule> sink_reductions(const Computation& computation, const Schedule& schedule) {
  Schedule outer = schedule;
  outer.loops.clear();
  std::vector<Specifier> reductions, tile;
  for (const Specifier& one : schedule.loops) {
    const bool in_tile = one.kind == Kind::unroll || one.kind == Kind::vector;
    (in_tile ? tile : is_reduction(computation, one) ? reductions : outer.loops).push_back(one);
  }
  std::vector<Schedule> sunk;
  for (const std::vector<Specifier>& inner : {reductions, merge_loops(computation, reductions)}) {
    sunk.push_back(outer);
    std::vector<Specifier>& loops = sunk.back().loops;
    loops.insert(loops.end(), inner.begin(), inner.end());
    loops.insert(loops.end(), tile.begin(), tile.end());
  }
  return sunk;
}

namespace {

/// Returns the loops that cover `dim` above the register tile: a tile loop, then its lambda.
std::vector<Specifier> whole_loops(const SearchContext& context, Dim dim) {
  const KernelCombo& kernels = context.kernels;
  const int lanes = context.machine.vector.lanes;
  const std::string& name = context.computation.name(dim);
  const Tile covered = covered_extents(context.computation, kernels.vectorised, lanes);
  std::vector<Specifier> loops;
  const std::int64_t trips = covered[dim] / kernels.base[dim];
  if (trips > 1) loops.push_back({.kind = Kind::tile, .dim = name, .count = trips, .parts = {}});
  const Lambda* const lambda = lambda_of(kernels, dim);
  if (!lambda) return loops;
  std::vector<Part> parts = lambda->parts;
  if (dim == kernels.vectorised)
    for (Part& part : parts) part.size /= lanes;
  loops.push_back({.kind = Kind::lambda, .dim = name, .count = 0, .parts = std::move(parts)});
  return loops;
}

void append(std::vector<Specifier>& loops, const std::vector<Specifier>& more) {
  loops.insert(loops.end(), more.begin(), more.end());
}

/// Returns the whole loops of all dims of one role but the vectorised one, grouped by dim.
std::vector<std::vector<Specifier>> loops_of(const SearchContext& context, Role wanted) {
  std::vector<std::vector<Specifier>> groups;
  for (int d = 0; d < context.computation.dims(); ++d) {
    const Role part = context.computation.role(Dim{d});
    const Role place = part == Role::channel ? Role::pixel : part;
    if (place != wanted || Dim{d} == context.kernels.vectorised) continue;
    std::vector<Specifier> loops = whole_loops(context, Dim{d});
    if (!loops.empty()) groups.push_back(std::move(loops));
  }
  return groups;
}

}  // namespace

std::vector<Schedule> untiled_nests(const SearchContext& context, const Schedule& like) {
  std::vector<Specifier> outside, reductions;
  for (const auto& loops : loops_of(context, Role::batch)) append(outside, loops);
  for (const auto& loops : loops_of(context, Role::reduction)) append(reductions, loops);
  const std::vector<std::vector<Specifier>> rows = loops_of(context, Role::pixel);
  std::vector<Specifier> inside = merge_loops(context.computation, reductions);
  for (const Specifier& one : like.loops)
    if (one.kind == Kind::unroll || one.kind == Kind::vector) inside.push_back(one);
  std::vector<Schedule> nests;
  for (std::size_t place = 0; place <= rows.size(); ++place) {
    Schedule nest = like;
    nest.loops = outside;
    for (std::size_t i = 0; i <= rows.size(); ++i) {
      if (i == place) append(nest.loops, whole_loops(context, context.kernels.vectorised));
      if (i < rows.size()) append(nest.loops, rows[i]);
    }
    append(nest.loops, inside);
    nests.push_back(std::move(nest));
  }
  return nests;
}

namespace {

/// Returns the weights, in elements, that one register tile needs for its whole sums.
std::int64_t weights_of_tile(const SearchContext& context) {
  Tile box = context.kernels.base;
  for (int d = 0; d < context.computation.dims(); ++d)
    if (context.computation.role(Dim{d}) == Role::reduction)
      box[Dim{d}] = context.computation.extent(Dim{d});
  return footprint(context.computation.tensor(Operand::weights), box);
}

/// Returns how many parts a reduction loop of `count` trips may have so that the weights of a
/// register tile fill at most half of the second-level cache; the other half is for prefetched
/// ones. The fewest come first, and the list is empty where the weights of the whole loop fit.
std::vector<std::int64_t> parts_of_sums(const SearchContext& context, std::int64_t count) {
  constexpr std::size_t kChoices = 3;
  std::vector<std::int64_t> parts;
  if (context.machine.caches.size() < 2) return parts;
  const double half =
      usable_elements(context.machine.caches[1], context.computation.unit_bytes()) / 2;
  const auto weights = static_cast<double>(weights_of_tile(context));
  if (weights <= half) return parts;
  for (const std::int64_t part : divisors(count))
    if (weights / static_cast<double>(part) <= half && parts.size() < kChoices)
      parts.push_back(part);
  return parts;
}

}  // namespace

std::vector<Schedule> split_sums(const SearchContext& context, const Schedule& whole) {
  const auto innermost =
      std::find_if(whole.loops.rbegin(), whole.loops.rend(),
                   [&](const Specifier& one) { return is_reduction(context.computation, one); });
  std::vector<Schedule> nests;
  if (innermost == whole.loops.rend()) return nests;
  const std::size_t channels = whole_loops(context, context.kernels.vectorised).size();
  std::size_t outside = 0;
  for (const auto& loops : loops_of(context, Role::batch)) outside += loops.size();
  const auto at = static_cast<std::size_t>(whole.loops.rend() - innermost) - 1;
  for (const std::int64_t part : parts_of_sums(context, innermost->count))
    for (const std::size_t place : std::set<std::size_t>{outside + channels, outside}) {
      nests.push_back(whole);
      std::vector<Specifier>& loops = nests.back().loops;
      Specifier outer = loops[at];
      loops[at].count /= part;
      outer.count = part;
      if (loops[at].count == 1) loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(at));
      loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(place), outer);
    }
  return nests;
}

}  // namespace tileplan
