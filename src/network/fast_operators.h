// SPDX-License-Identifier: Apache-2.0
// This file computes operators without a kernel, many of them in any layout, in loops that
// compilers vectorise.
#pragma once

#include "node_view.h"
#include "step_operation.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns true when the tensors of the node may have other layouts than nchw, as long as all have
/// the same. LRN works only in nchw and nhwc.
bool works_in_any_layout(const Graph& graph, const GraphNode& node);

/// Returns the operation of a node whose tensors all have `layout`. Throws NotUnderstood when there
/// is none.
Operation operation_of(const NodeView& node, Layout layout);

/// Returns true when the operation of the node can compute one of several parts of its outputs
/// (StepTensors::part), so that threads can share the work.
bool runs_in_parts(const NodeView& node);

/// Returns the operation that copies a tensor of `shape` from one layout to another. An element has
/// `bytes` bytes, 4 or 1. The operation runs in parts if is_transposition() is true.
Operation conversion_of(const Extents& shape, Layout from, Layout to, std::int64_t bytes = 4);

/// Returns true when conversion_of() transposes a matrix of 4-byte elements per block of channels,
/// as between nchw and another layout.
bool is_transposition(const Extents& shape, Layout from, Layout to, std::int64_t bytes);

/// Views a tensor as [images][blocks][plane][inner], where channel c is in block c / inner.
struct ChannelBlocks {
  std::int64_t images = 1, blocks = 1, plane = 1, inner = 1;

  std::int64_t elements() const { return images * blocks * plane * inner; }
};

/// Returns the view of a tensor whose channels are on `axis`. The axis must be 1 unless the layout
/// is nchw.
ChannelBlocks channel_blocks(const Extents& shape, Layout layout, std::size_t axis = 1);

/// Returns the distances between the elements of a tensor along the axes of `out`, to which it is
/// broadcast by numpy's rules. The distance is 0 where an element is repeated.
Extents spread_steps(const Extents& shape, const Extents& out);

/// Returns true when `shape` has spatial axes, and a tensor of shape `factor` has one number per
/// image and channel.
bool is_per_channel(const Extents& shape, const Extents& factor);

/// Returns, for each output along an axis, the number of taps that an average pool counts. The pool
/// divides by the product of these numbers over its axes. Taps outside the input count if they lie
/// in the padding and `counts_padding` is true.
std::vector<float> tap_counts(const Axis& axis, bool counts_padding);

/// Returns for each index along `axis` its offset in elements, in a tensor of `shape` with
/// `layout`. The offset of an element is the sum of the offsets along all axes.
Extents axis_offsets(const Extents& shape, Layout layout, std::size_t axis);

/// These functions return the operations of pools, of means, of LRN (local response normalisation)
/// and of products without a kernel.
Operation pool_operation(const NodeView& node, Layout layout);
Operation mean_operation(const NodeView& node, Layout layout);
Operation lrn_operation(const NodeView& node, Layout layout);
Operation product_operation(const NodeView& node);

/// Returns the operation of a QuantizeLinear or DequantizeLinear with constant scales and zero
/// points, a DynamicQuantizeLinear with three outputs, or a Cast from s32 to f32. Throws
/// NotUnderstood for other nodes.
Operation integer_operation(const NodeView& node, Layout layout);

}  // namespace tileplan
