// SPDX-License-Identifier: Apache-2.0
// This file computes operators other than layers in any layout, in loops that compilers vectorise.
#pragma once

#include "node_view.h"
#include "step_operation.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns true when the tensors of the node may have any layout that is common to all of them.
bool works_in_any_layout(const Graph& graph, const GraphNode& node);

/// Returns the operation of a node whose tensors all have `layout`. Throws NotUnderstood when there
/// is none.
Operation operation_of(const NodeView& node, Layout layout);

/// Returns the operation that copies a tensor of `shape` from one layout to another. The elements
/// have 4 bytes, or 1.
Operation conversion_of(const Extents& shape, Layout from, Layout to, std::int64_t bytes = 4);

/// Views a tensor as [images][blocks][plane][inner], where channel c is in block c / inner.
struct ChannelBlocks {
  std::int64_t images = 1, blocks = 1, plane = 1, inner = 1;

  std::int64_t elements() const { return images * blocks * plane * inner; }
};

/// Returns the view of a tensor with channels on `axis`, which is 1 unless the layout is nchw.
ChannelBlocks channel_blocks(const Extents& shape, Layout layout, std::size_t axis = 1);

/// Returns the steps along the axes of `out` of a tensor that numpy's rules spread to it.
Extents spread_steps(const Extents& shape, const Extents& out);

/// Returns true when a tensor `factor` has one number per image and channel of a tensor `shape`.
bool is_per_channel(const Extents& shape, const Extents& factor);

/// Returns the number of taps of a pool that count for each output of an axis. Taps outside the
/// input count if they lie in the padding and `counts_padding` is true.
std::vector<float> tap_counts(const Axis& axis, bool counts_padding);

/// Returns the offset of each index of `axis` in `layout`.
Extents axis_offsets(const Extents& shape, Layout layout, std::size_t axis);

/// These are the operations of pools, of LRN and of products without a kernel.
Operation pool_operation(const NodeView& node, Layout layout);
Operation mean_operation(const NodeView& node, Layout layout);
Operation lrn_operation(const NodeView& node, Layout layout);
Operation product_operation(const NodeView& node);

/// Returns the operation of a node that reads or writes integers. Throws NotUnderstood for all
/// other kinds.
Operation integer_operation(const NodeView& node, Layout layout);

}  // namespace tileplan
