// SPDX-License-Identifier: Apache-2.0
// Models shuffle channels between groups with Reshape, Transpose and Reshape. This file replaces
// these three nodes by one Gather.
#include "moves.h"
#include "operators.h"
#include "rewrite.h"

namespace tileplan {
namespace {

bool is_kind(Rewriter& graph, int at, const char* kind) {
  return at >= 0 && graph.node(at).kind == kind && graph.node(at).not_understood.empty();
}

/// Recognises a channel shuffle: Reshape `first` splits the channels into groups, Transpose `next`
/// exchanges groups and channels, and Reshape `last` joins them again. Returns the number of
/// groups, or 0 for other nodes.
std::int64_t shuffled_groups(Rewriter& graph, int first, int next, int last) {
  const NodeView split(graph.graph(), graph.node(first)), turn(graph.graph(), graph.node(next)),
      join(graph.graph(), graph.node(last));
  const Extents &whole = split.shape(0), &parts = split.out_shape();
  if (whole.size() < 3 || join.out_shape() != whole || parts.size() != whole.size() + 1) return 0;
  const bool splits_channels = parts[0] == whole[0] && parts[1] * parts[2] == whole[1] &&
                               std::equal(whole.begin() + 2, whole.end(), parts.begin() + 3);
  Extents turned;
  for (std::size_t axis = 0; axis < parts.size(); ++axis)
    turned.push_back(static_cast<std::int64_t>(axis));
  std::swap(turned[1], turned[2]);
  return splits_channels && turn.integers("perm", {}) == turned ? parts[1] : 0;
}

void shuffle_once(Rewriter& graph, int first) {
  if (!is_kind(graph, first, "Reshape")) return;
  const int next = graph.only_reader(graph.node(first).outputs[0]);
  if (!is_kind(graph, next, "Transpose")) return;
  const int last = graph.only_reader(graph.node(next).outputs[0]);
  if (!is_kind(graph, last, "Reshape")) return;
  const std::int64_t groups = shuffled_groups(graph, first, next, last);
  if (groups == 0) return;
  const Extents shape = *graph.value(graph.node(last).outputs[0]).shape;
  if (shape[1] > kMostIndices) return;
  const std::int64_t channels = shape[1] / groups;
  std::vector<std::int64_t> indices;
  indices.reserve(static_cast<std::size_t>(shape[1]));
  for (std::int64_t channel = 0; channel < channels; ++channel)
    for (std::int64_t group = 0; group < groups; ++group)
      indices.push_back(group * channels + channel);
  GraphValue order{.name = graph.node(first).name + " indices",
                   .shape = Extents{shape[1]},
                   .type = "i64",
                   .constant = true,
                   .numbers = std::make_shared<const Numbers>(std::move(indices))};
  const int value = graph.add_value(std::move(order));
  graph.absorb(first, next);
  graph.absorb(first, last);
  graph.node(first).kind = "Gather";
  graph.node(first).attributes = {{"axis", std::int64_t{1}}};
  graph.set_input(first, 1, value);
}

}  // namespace

void join_shuffles(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at)
    if (!graph.is_removed(at)) shuffle_once(graph, at);
}

}  // namespace tileplan
