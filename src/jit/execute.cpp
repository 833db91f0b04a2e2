// SPDX-License-Identifier: Apache-2.0
// The walk over a loop tree. Everything between two microkernel calls happens here.
#include <algorithm>

#include "integers.h"
#include "loop_tree.h"

namespace tileplan {

void Position::advance(const Position& step, std::int64_t trips) {
  input += step.input * trips;
  weights += step.weights * trips;
  output += step.output * trips;
  bias += step.bias * trips;
  reduction += step.reduction * trips;
  vectors += step.vectors * trips;
  ahead += step.ahead * trips;
  for (std::size_t g = 0; g < guard.size(); ++g) guard[g] += step.guard[g] * trips;
}

namespace {

/// Of the runs at `at`, by what padding they read.
RunList runs_at(const Leaf& leaf, const Position& at) {
  std::int64_t list = 0;
  for (std::size_t g = 0; g < leaf.guards.size(); ++g)
    list += leaf.guards[g].pattern_at(at.guard[g]) * leaf.guards[g].lists;
  return leaf.lists[static_cast<std::size_t>(list)];
}

/// Where a tile stands in the reduction and along the vectorised dim.
struct Progress {
  std::int64_t reduction = 0, vectors = 0;

  Progress after(const Position& step, std::int64_t trips = 1) const {
    return {reduction + step.reduction * trips, vectors + step.vectors * trips};
  }
};

std::int64_t flags_at(const LoopTree& tree, const Leaf& leaf, Progress at) {
  std::int64_t flags = 0;
  if (at.reduction > 0 || tree.accumulate) flags |= kAccumulate;
  if (at.vectors + leaf.length > tree.vector_extent) flags |= kTail;
  if (at.reduction + leaf.steps == tree.weights_steps) flags |= kFinish;
  return flags;
}

/// How many of the next `count` rows from `at` on have no tile of another form than the first: with
/// other runs or flags. 0 when the first row has one.
std::int64_t rows_of_one_form(const LoopTree& tree, const Leaf& leaf, const Position& at,
                              const TileRows& rows, std::int64_t count) {
  for (std::size_t g = 0; g < leaf.guards.size(); ++g) {
    const std::int64_t room =
        leaf.guards[g].last_from(at.guard[g]) - at.guard[g] - rows.reach.guard[g];
    if (room < 0) return 0;
    const std::int64_t move = rows.row.guard[g];
    if (move * (count - 1) > room) count = room / move + 1;
  }
  // Along a loop only the first and the last tile have flags that those between them have not.
  const Progress first{at.reduction, at.vectors};
  const Progress row_end = first.after(rows.reach);
  const std::int64_t flags = flags_at(tree, leaf, first);
  const auto ends_so = [&](std::int64_t some) {
    return flags_at(tree, leaf, row_end.after(rows.row, some - 1)) == flags;
  };
  if (!ends_so(1)) return 0;
  if (ends_so(count)) return count;
  return count > 2 && ends_so(count - 1) ? count - 1 : 1;
}

/// Computes `count` rows of tiles that have the form of the first, which is at `at`.
void call(const LoopTree& tree, const LoopNode& node, const Position& at, const Buffers& buffers,
          std::int64_t count) {
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(node.leaf)];
  const RunList runs = runs_at(leaf, at);
  TileGrid grid{.input = buffers.input + at.input,
                .weights = buffers.weights + at.weights + at.reduction * leaf.row_bytes,
                .output = buffers.output + at.output,
                .runs = runs.runs,
                .count = runs.count,
                .flags = flags_at(tree, leaf, {at.reduction, at.vectors}),
                .bias = buffers.bias + at.bias,
                .residual = buffers.residual,
                .ahead = buffers.ahead + at.ahead,
                .tiles = node.rows.tiles,
                .rows = count,
                .step = node.rows.tile_steps,
                .row_step = node.rows.row_steps};
  leaf.function(&grid);
}

/// Trips of a node that calls its leaf, in as few calls as the forms of the tiles allow.
void call_leaf(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
               std::int64_t trips) {
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(node.leaf)];
  while (trips > 0) {
    std::int64_t rows = rows_of_one_form(tree, leaf, at, node.rows, trips);
    if (rows > 0) {
      call(tree, node, at, buffers, rows);
    } else {
      rows = 1;
      const LoopNode& row = node.children.front();
      call_leaf(tree, row, at, buffers, row.trips);
    }
    at.advance(node.advance, rows);
    trips -= rows;
  }
}

void walk(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
          Share share);

void walk_children(const LoopTree& tree, const LoopNode& node, const Position& at,
                   const Buffers& buffers, Share share) {
  for (const LoopNode& child : node.children) walk(tree, child, at, buffers, share);
}

void pack_box(const LoopTree& tree, const LoopNode& node, Position at, Buffers buffers,
              Share share) {
  copy_box(tree.boxes[static_cast<std::size_t>(node.box)],
           {.type = tree.type, .from = buffers.input + at.input, .to = buffers.box}, at.guard);
  buffers.input = buffers.box;
  at.input = 0;
  walk_children(tree, node, at, buffers, share);
}

/// The trips of a parallel loop that `share` takes part in, each with its part of the share.
void walk_share(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
                Share share) {
  share = {std::max(share.first - node.before, std::int64_t{0}),
           std::min(share.last - node.before, node.trips * node.tasks)};
  if (share.first >= share.last) return;
  const Share trips{share.first / node.tasks, ceil_div(share.last, node.tasks)};
  at.advance(node.advance, trips.first);
  const std::int64_t count = trips.last - trips.first;
  if (node.leaf >= 0) return call_leaf(tree, node, at, buffers, count);
  for (std::int64_t trip = trips.first; trip < trips.last; ++trip, at.advance(node.advance)) {
    const std::int64_t first = trip * node.tasks;
    walk_children(tree, node, at, buffers,
                  {.first = std::max(share.first - first, std::int64_t{0}),
                   .last = std::min(share.last - first, node.tasks)});
  }
}

void walk(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
          Share share) {
  at.advance(node.start);
  if (node.box >= 0) return pack_box(tree, node, at, buffers, share);
  if (node.parallel) return walk_share(tree, node, at, buffers, share);
  if (node.leaf >= 0) return call_leaf(tree, node, at, buffers, node.trips);
  for (std::int64_t trip = 0; trip < node.trips; ++trip, at.advance(node.advance))
    walk_children(tree, node, at, buffers, share);
}

}  // namespace

void execute(const LoopTree& tree, const Buffers& buffers, Share share) {
  if (share.first >= share.last) return;
  Buffers all = buffers;
  all.ahead = tree.ahead == Operand::weights ? buffers.weights : buffers.input;
  walk(tree, tree.root, tree.origin, all, share);
}

}  // namespace tileplan
