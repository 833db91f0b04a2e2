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

/// Trips of a node that calls its leaf. This loop stands between any two microkernel calls, so
/// it keeps everything in registers.
void call_leaf(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers,
               std::int64_t trips) {
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(node.leaf)];
  const std::size_t guards = leaf.guards.size();
  const std::int64_t steps = tree.weights_steps;
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    std::int64_t list = 0;
    for (std::size_t g = 0; g < guards; ++g) {
      const GuardTable& table = leaf.guards[g];
      list += table.pattern[static_cast<std::size_t>(at.guard[g] - table.first)] * table.lists;
      at.guard[g] += node.advance.guard[g];
    }
    const RunList runs = leaf.lists[static_cast<std::size_t>(list)];
    const bool resumes = at.reduction > 0 || tree.accumulate;
    const std::int64_t flags = (resumes ? kAccumulate : 0) |
                               (at.channel + leaf.channels > tree.channel_extent ? kTail : 0) |
                               (at.reduction + leaf.steps == steps ? kFinish : 0);
    leaf.function(buffers.input + at.input,
                  buffers.weights + at.weights + at.reduction * leaf.row_bytes,
                  buffers.output + at.output, runs.runs, runs.count, flags, buffers.bias + at.bias,
                  buffers.residual, buffers.weights + at.ahead);
    at.input += node.advance.input;
    at.weights += node.advance.weights;
    at.output += node.advance.output;
    at.bias += node.advance.bias;
    at.reduction += node.advance.reduction;
    at.channel += node.advance.channel;
    at.ahead += node.advance.ahead;
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
  const Share trips{share.first / node.tasks, ceil_div(share.last, node.tasks)};
  at.advance(node.advance, trips.first);
  if (node.leaf >= 0) return call_leaf(tree, node, at, buffers, trips.last - trips.first);
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
  if (share.first < share.last) walk(tree, tree.root, tree.origin, buffers, share);
}

}  // namespace tileplan
