// SPDX-License-Identifier: Apache-2.0
// This file finds the iterations of the busiest core. Among all sequences of a given number of
// consecutive blocks of a list (lambda), one that covers most iterations begins where a part of the
// list begins or ends where a part ends, so few sequences are compared.
#include "cores.h"

#include <algorithm>
#include <vector>

#include "footprint.h"
#include "integers.h"
#include "link.h"

namespace tileplan {
namespace {

/// Multiplies every size of `nest` along `dim` by `across`, so that a box covers one step of
/// `across` cores together.
void widen(Nest& nest, Dim dim, std::int64_t across) {
  nest.base[dim] *= across;
  for (NestLoop& loop : nest.loops)
    if (loop.dim == dim)
      for (Part& part : loop.parts) part.size *= across;
}

using Loops = std::vector<const NestLoop*>;

/// Returns the parallel loops of a nest, outermost first.
Loops parallel_loops(const Nest& nest) {
  Loops loops;
  for (const NestLoop& loop : nest.loops)
    if (loop.parallel) loops.push_back(&loop);
  return loops;
}

/// Returns `loop` restricted to the `blocks` blocks that follow its first `skipped` blocks.
/// Requires that `loop` has at least skipped + blocks blocks.
NestLoop blocks_from(const NestLoop& loop, std::int64_t skipped, std::int64_t blocks) {
  NestLoop some = loop;
  if (!loop.is_lambda()) {
    some.trips = blocks;
    return some;
  }
  some.parts.clear();
  for (const Part& part : loop.parts) {
    const std::int64_t times = std::clamp<std::int64_t>(part.times - skipped, 0, blocks);
    skipped = std::max<std::int64_t>(skipped - part.times, 0);
    if (times > 0) some.parts.push_back({times, part.size});
    blocks -= times;
  }
  return some;
}

/// Returns the number of iterations that the blocks of `loop` cover. A block of a plain loop counts
/// as one iteration.
double covered_by(const NestLoop& loop) {
  return static_cast<double>(loop.is_lambda() ? covered(loop.parts) : loop.trips);
}

/// Returns `loop` restricted to the `blocks` consecutive blocks that cover most iterations.
NestLoop largest_blocks(const NestLoop& loop, std::int64_t blocks) {
  NestLoop largest = blocks_from(loop, 0, blocks);
  std::int64_t first = 0;
  for (const Part& part : loop.parts) {
    for (const std::int64_t skipped : {first, first + part.times - blocks}) {
      if (skipped < 0 || skipped + blocks > loop.blocks()) continue;
      const NestLoop some = blocks_from(loop, skipped, blocks);
      if (covered_by(some) > covered_by(largest)) largest = some;
    }
    first += part.times;
  }
  return largest;
}

/// Returns the number of trips of the loop into which `loops` from index `at` on are collapsed.
std::int64_t tasks_of(const Loops& loops, std::size_t at) {
  std::int64_t tasks = 1;
  for (std::size_t i = at; i < loops.size(); ++i) tasks *= loops[i]->blocks();
  return tasks;
}

/// Returns the number of iterations in the first `tasks` trips of the loop into which `loops` from
/// index `at` on are collapsed.
double iterations_in(const Loops& loops, std::size_t at, std::int64_t tasks) {
  if (at == loops.size()) return static_cast<double>(tasks);
  const NestLoop& loop = *loops[at];
  const std::int64_t tasks_inside = tasks_of(loops, at + 1);
  double inside = 1;
  for (std::size_t i = at + 1; i < loops.size(); ++i) inside *= covered_by(*loops[i]);
  const std::int64_t whole = tasks / tasks_inside, rest = tasks % tasks_inside;
  const double before = covered_by(blocks_from(loop, 0, whole));
  if (rest == 0) return before * inside;
  const double block = covered_by(blocks_from(loop, whole, 1));
  return before * inside + block * iterations_in(loops, at + 1, rest);
}

/// Returns the largest share of the iterations that one core gets when the `tasks` trips of `loops`
/// are distributed to `cores` cores in contiguous chunks whose lengths differ by at most one.
double busiest_share(const Loops& loops, std::int64_t tasks, std::int64_t cores) {
  double most = 0, before = 0;
  for (std::int64_t core = 1; core <= cores; ++core) {
    const double after = iterations_in(loops, 0, tasks * core / cores);
    most = std::max(most, after - before);
    before = after;
  }
  return most / before;
}

}  // namespace

Cores cores_of(const Computation& computation, const Nest& nest, int cores) {
  const NestView whole{nest, {{1, 1, 1}}};
  Cores result{.own = whole, .joint = whole};
  const Loops parallel = parallel_loops(nest);
  const std::int64_t all = tasks_of(parallel, 0);
  const std::int64_t used = std::clamp<std::int64_t>(all, 1, std::max(cores, 1));
  result.used = static_cast<int>(used);
  result.busiest_share = busiest_share(parallel, all, used);
  std::int64_t share = ceil_div(all, used);
  for (std::size_t i = nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = nest.loops[i];
    if (!loop.parallel) continue;
    const std::int64_t blocks = std::min(loop.blocks(), share);
    share = ceil_div(share, blocks);
    NestLoop& own = result.own.nest.loops[i];
    // Parallel loops over the same dimension further inside have widened the blocks of `joint`, so
    // these blocks may differ from those of `own`.
    NestLoop& joint = result.joint.nest.loops[i];
    own = largest_blocks(own, blocks);
    joint = largest_blocks(joint, blocks);
    const std::int64_t across = ceil_div(loop.blocks(), blocks);
    widen(result.joint.nest, loop.dim, across);
    const double copies = covered_by(loop) / covered_by(own);
    for (std::size_t t = 0; t < computation.tensors.size(); ++t) {
      result.own.copies.values[t] *= copies;
      if (is_present(computation.tensors[t], loop.dim))
        result.joint.copies.values[t] *= copies / static_cast<double>(across);
    }
  }
  return result;
}

const NestView& view_of(const Cores& cores, const CacheLevel& cache) {
  return cache.shared_by_cores > 1 ? cores.joint : cores.own;
}

double link_share(const Cores& cores, const Machine& machine, std::size_t at) {
  if (machine.caches[at].shared_by_cores == 1) return cores.busiest_share;
  return 1 / link_speed(machine, at, cores.used);
}

PerTensor<double> volumes_of_all(const Computation& computation, const NestView& view,
                                 const PerTensor<std::int64_t>& volumes, const Tile& whole) {
  PerTensor<double> all;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    all.values[t] = std::max(static_cast<double>(footprint(computation.tensors[t], whole)),
                             view.copies.values[t] * static_cast<double>(volumes.values[t]));
  return all;
}

}  // namespace tileplan
