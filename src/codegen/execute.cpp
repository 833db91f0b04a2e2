// SPDX-License-Identifier: Apache-2.0
// The walk over a loop tree. Everything between two microkernel calls happens here.
#include <algorithm>

#include "integers.h"
#include "loop_nest.h"

namespace tileplan {

void Position::advance(const Position& step, std::int64_t trips) {
  input += step.input * trips;
  weights += step.weights * trips;
  output += step.output * trips;
  bias += step.bias * trips;
  reduction += step.reduction * trips;
  channel += step.channel * trips;
  ahead += step.ahead * trips;
  for (std::size_t g = 0; g < guard.size(); ++g) guard[g] += step.guard[g] * trips;
}

namespace {

/// What decides how the microkernel computes a tile, addresses aside.
struct TileForm {
  std::int64_t list = 0;  ///< of runs
  std::int64_t flags = 0;

  bool operator==(const TileForm&) const = default;
};

TileForm form_at(const LoopTree& tree, const Leaf& leaf, const Position& at) {
  TileForm form;
  for (std::size_t g = 0; g < leaf.guards.size(); ++g) {
    const GuardTable& table = leaf.guards[g];
    form.list += table.pattern[static_cast<std::size_t>(at.guard[g] - table.first)] * table.lists;
  }
  if (at.reduction > 0 || tree.accumulate) form.flags |= kAccumulate;
  if (at.channel + leaf.channels > tree.channel_extent) form.flags |= kTail;
  if (at.reduction + leaf.steps == tree.weights_steps) form.flags |= kFinish;
  return form;
}

/// True when the trips of `node` read the same padding: when the first and the last of them have
/// the same form, all do.
bool keeps_padding(const LoopNode& node, const Leaf& leaf) {
  const GuardIndices& moves = node.advance.guard;
  return std::all_of(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(leaf.guards.size()),
                     [](std::int64_t move) { return move == 0; });
}

TileSteps steps_of(const Leaf& leaf, const Position& step) {
  return {.input = step.input,
          .weights = step.weights + step.reduction * leaf.row_bytes,
          .output = step.output,
          .bias = step.bias,
          .ahead = step.ahead};
}

/// Tiles of `form`, the first of them at `at`: one row, of one tile so far.
TileGrid grid_at(const Leaf& leaf, TileForm form, const Position& at, const Position& step,
                 const Buffers& buffers) {
  const RunList runs = leaf.lists[static_cast<std::size_t>(form.list)];
  return {.input = buffers.input + at.input,
          .weights = buffers.weights + at.weights + at.reduction * leaf.row_bytes,
          .output = buffers.output + at.output,
          .runs = runs.runs,
          .count = runs.count,
          .flags = form.flags,
          .bias = buffers.bias + at.bias,
          .residual = buffers.residual,
          .ahead = buffers.ahead + at.ahead,
          .step = steps_of(leaf, step)};
}

/// Trips of a node that calls its leaf. Those in a row that have the same form are one call.
void call_leaf(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
               std::int64_t trips) {
  if (trips == 0) return;
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(node.leaf)];
  TileForm form = form_at(tree, leaf, at);
  Position last = at;
  last.advance(node.advance, trips - 1);
  if (keeps_padding(node, leaf) && form == form_at(tree, leaf, last)) {
    TileGrid row = grid_at(leaf, form, at, node.advance, buffers);
    row.tiles = trips;
    return leaf.function(&row);
  }
  while (trips > 0) {
    const TileForm first = form;
    TileGrid row = grid_at(leaf, first, at, node.advance, buffers);
    for (--trips, at.advance(node.advance); trips > 0; --trips, at.advance(node.advance)) {
      form = form_at(tree, leaf, at);
      if (form != first) break;
      ++row.tiles;
    }
    leaf.function(&row);
  }
}

/// Trips of a node whose only child calls its leaf, as one call. False, and nothing done, when
/// there is no such child, or the tiles differ in form.
bool call_grid(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
               std::int64_t trips) {
  if (trips == 0 || node.children.size() != 1) return false;
  const LoopNode& inner = node.children.front();
  if (inner.leaf < 0 || inner.parallel) return false;
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(inner.leaf)];
  if (!keeps_padding(node, leaf) || !keeps_padding(inner, leaf)) return false;
  at.advance(inner.start);
  Position last = at;
  last.advance(node.advance, trips - 1);
  last.advance(inner.advance, inner.trips - 1);
  const TileForm form = form_at(tree, leaf, at);
  if (form != form_at(tree, leaf, last)) return false;
  TileGrid grid = grid_at(leaf, form, at, inner.advance, buffers);
  grid.tiles = inner.trips;
  grid.rows = trips;
  Position row = node.advance;
  row.advance(inner.advance, 1 - inner.trips);
  grid.row_step = steps_of(leaf, row);
  leaf.function(&grid);
  return true;
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
  const Share trips{share.first / node.tasks, ceil_div(share.last, node.tasks)};
  at.advance(node.advance, trips.first);
  const std::int64_t count = trips.last - trips.first;
  if (node.leaf >= 0) return call_leaf(tree, node, at, buffers, count);
  if (call_grid(tree, node, at, buffers, count)) return;
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
  if (call_grid(tree, node, at, buffers, node.trips)) return;
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
