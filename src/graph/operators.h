// SPDX-License-Identifier: Apache-2.0
// This file lists the operators that networks can have, and infers the shapes of their results,
// their windows and the sizes of their matrix products.
#pragma once

#include "node_view.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Holds the shape and type of a result. The type is written as in GraphValue::type.
struct OutputType {
  Extents shape = {};
  std::string type = "f32";
};

/// Returns the shapes and types of the results of the node. Throws NotUnderstood when the operator
/// is unknown or used in a way that is not supported, and Error when attributes do not fit the
/// inputs or count_elements() refuses a result.
std::vector<OutputType> output_types(const NodeView& node);

/// Throws Error when the operator is known and the node has an attribute that the table in
/// attributes.cpp does not list for it. Nodes of files are not checked, because they may have
/// attributes of old operator sets and of rewritten graphs.
void require_known_attributes(const NodeView& node);

/// Adds `node` with new values for its results, and returns the first one. Accepts any attributes,
/// unlike Graph::node(), which is otherwise the same.
int add_node(Graph& graph, GraphNode node);

/// Returns the numbers that a Shape computes: the extents of its input from axis `start` up to, but
/// without, axis `end`. Negative axes count from the end.
Extents listed_extents(const NodeView& node);

/// Returns one axis per spatial dimension of a Conv, MaxPool or AveragePool, in the order of the
/// shape. `filter` is the size of the window. Throws Error when an attribute or a window does not
/// fit the input, and NotUnderstood for negative padding and unknown rules of padding.
std::vector<Axis> windows_of(const NodeView& node, const Extents& filter);

/// Returns the size of the window of a Conv, which is that of its weights. Throws Error when the
/// attribute kernel_shape differs from it. Requires that the weights have as many dimensions as the
/// input, at least 3.
Extents conv_window(const NodeView& node);

/// Returns the size of the window of a pool. Throws Error unless the input has at least 3
/// dimensions and the attribute kernel_shape has one positive extent per spatial axis.
Extents pool_window(const NodeView& node);

/// Returns the shape of the result when numpy's rules of broadcasting are applied to both shapes.
/// Throws Error when two extents differ and neither is 1.
Extents broadcast(const NodeView& node, const Extents& first, const Extents& second);

/// Tells for each axis of the input whether a ReduceMean or GlobalAveragePool reduces it. Throws as
/// mean_shape() does.
std::vector<bool> reduced_axes(const NodeView& node);

/// Returns the shape of the result of a ReduceMean or GlobalAveragePool if all reduced axes are
/// kept with the extent 1. Throws Error for an axis that the input lacks, and NotUnderstood when
/// the axes are no constants.
Extents mean_shape(const NodeView& node);

/// Returns true for operators such as Reshape and Cast, which keep the row-major order of elements.
bool keeps_order(const std::string& kind);

/// Returns true for operators such as Relu and Clip, which compute each number of the result from
/// one number of the first input.
bool is_unary(const std::string& kind);

/// Returns true for Add, Sub, Mul and Div.
bool is_binary(const std::string& kind);

/// Returns true for Gemm, MatMul and Product. A Product is a MatMul with up to two more inputs, a
/// bias per column and a residual of the output's shape. In a Gemm or Product with transA, A is
/// k x m; with transB, B is n x k; and alpha multiplies the product.
bool is_product(const std::string& kind);

/// Describes `batches` products of an m x k and a k x n matrix. If B is one matrix, `batches` is 1
/// and m counts the rows of all matrices of A.
struct Product {
  std::int64_t batches = 1, m = 1, n = 1, k = 1;
  bool a_transposed = false, b_transposed = false;
  bool b_in_batches = false;  ///< If true, B has as many matrices as A; otherwise it has one.
};

/// Returns the product that a Gemm, MatMul or Product computes. Throws Error when the sizes of the
/// matrices do not fit or a factor of a Gemm is no matrix, and NotUnderstood for batches that
/// differ and for vectors in other products.
Product product_of(const NodeView& node);

/// Returns the shape and the type of the result of a quantised layer, a QuantizeLinear or a
/// DequantizeLinear. Throws Error and NotUnderstood as output_types() does.
OutputType quantised_type(const NodeView& node);

/// Returns the number of output channels (or columns) of a quantised layer.
std::int64_t layer_channels(const NodeView& node);

/// Returns the axis of the channels of a QuantizeLinear or DequantizeLinear whose scale is a list.
std::size_t scale_axis(const NodeView& node);

}  // namespace tileplan
