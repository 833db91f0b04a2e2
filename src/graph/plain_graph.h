// SPDX-License-Identifier: Apache-2.0
// This file computes nodes with plain loops on row-major tensors. The faster operators of
// src/network compute the same results up to rounding.
#pragma once

#include <span>

#include "node_view.h"

namespace tileplan {

/// Holds the numbers of each input of a node; an omitted input is null.
using PlainInputs = std::vector<const Numbers*>;

/// Computes the outputs of `node`, except the mask of a Dropout, by plain loops. The graph must
/// hold the shapes of the outputs. Sums of products are in double precision, and those of bytes are
/// exact modulo 2^32. Throws NotUnderstood when the operator is unknown or does not support the
/// inputs, and Error when an integer overflows or is divided by 0.
std::vector<Numbers> compute_plain(const NodeView& node, const PlainInputs& inputs);

/// Returns the numbers of all values of `graph` for `inputs`, which have the order of
/// Graph::inputs. A value is null if it is neither an input nor a known constant, and no node
/// computes it. Requires that all nodes are understood, and that no node reads a null value. Throws
/// as compute_plain() does.
std::vector<std::shared_ptr<const Numbers>> run_plain(const Graph& graph,
                                                      std::span<const Numbers> inputs);

/// Each of these functions computes one operator, or a few similar ones such as MaxPool and
/// AveragePool. The graph holds the shapes of the outputs.
std::vector<float> plain_conv(const NodeView& node, const PlainInputs& inputs);
std::vector<float> plain_product(const NodeView& node, const PlainInputs& inputs);
std::vector<float> plain_pool(const NodeView& node, const std::vector<float>& in);
std::vector<float> plain_lrn(const NodeView& node, const std::vector<float>& in);
std::vector<float> plain_softmax(const NodeView& node, const std::vector<float>& in);
std::vector<float> plain_mean(const NodeView& node, const std::vector<float>& in);

/// Computes a quantised layer, a QuantizeLinear or a DequantizeLinear. Sums are exact modulo 2^32.
Numbers compute_quantised(const NodeView& node, const PlainInputs& inputs);

/// Computes the three outputs of a DynamicQuantizeLinear: the integers, the scale and the zero
/// point.
std::vector<Numbers> compute_dynamic(const PlainInputs& inputs);

/// These functions return the sums of a Conv and of a product without bias, residual and alpha.
/// conv_sums() throws NotUnderstood for more than three spatial axes.
std::vector<double> conv_sums(const NodeView& node, const float* in, const float* weights);
std::vector<double> product_sums(const NodeView& node, const float* a, const float* b);

/// Returns `inputs[i]` as a list of f32. Throws NotUnderstood when the input is missing or has
/// another type.
const std::vector<float>& floats_of(const PlainInputs& inputs, std::size_t i);

}  // namespace tileplan
