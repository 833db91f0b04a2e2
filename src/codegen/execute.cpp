// SPDX-License-Identifier: Apache-2.0
// The walk over a loop tree. Everything between two microkernel calls happens here.
#include "loop_nest.h"

namespace tileplan {

Position& Position::operator+=(const Position& other) {
  input += other.input;
  weights += other.weights;
  output += other.output;
  bias += other.bias;
  reduction += other.reduction;
  channel += other.channel;
  for (std::size_t g = 0; g < guard.size(); ++g) guard[g] += other.guard[g];
  return *this;
}

namespace {

/// All trips of a node that calls its leaf. This loop stands between any two microkernel calls, so
/// it keeps everything in registers.
void call_leaf(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers) {
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(node.leaf)];
  const std::size_t guards = leaf.guards.size();
  const auto steps = static_cast<std::int64_t>(tree.weights.steps.size());
  for (std::int64_t trip = 0; trip < node.trips; ++trip) {
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
  }
}

void walk(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers);

void pack_box(const LoopTree& tree, const LoopNode& node, Position at, Buffers buffers) {
  copy_box(tree.boxes[static_cast<std::size_t>(node.box)],
           reinterpret_cast<const float*>(buffers.input + at.input), at.guard, buffers.box);
  buffers.input = reinterpret_cast<const char*>(buffers.box);
  at.input = 0;
  for (const LoopNode& child : node.children) walk(tree, child, at, buffers);
}

void walk(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers) {
  at += node.start;
  if (node.leaf >= 0) return call_leaf(tree, node, at, buffers);
  if (node.box >= 0) return pack_box(tree, node, at, buffers);
  for (std::int64_t trip = 0; trip < node.trips; ++trip, at += node.advance)
    for (const LoopNode& child : node.children) walk(tree, child, at, buffers);
}

}  // namespace

void execute(const LoopTree& tree, const Buffers& buffers) {
  walk(tree, tree.root, tree.origin, buffers);
}

}  // namespace tileplan
