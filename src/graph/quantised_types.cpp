// SPDX-License-Identifier: Apache-2.0
// This file infers the shapes and types of the results of operators on quantised tensors, and
// checks the types and sizes of their inputs.
#include "operators.h"
#include "quantised.h"

namespace tileplan {
namespace {

bool is_conv(const NodeView& node) { return plain_layer(node.node()).kind == "Conv"; }

/// Throws Error unless input `i`, if it exists, has one number or `channels` numbers. If `per_row`
/// is given, throws NotUnderstood with this reason unless there is one number.
void require_numbers(const NodeView& node, std::size_t i, std::int64_t channels,
                     const char* per_row = nullptr) {
  if (!node.has_input(i)) return;
  const std::int64_t count = elements_of(node.shape(i));
  if (count != 1 && per_row) throw NotUnderstood{per_row};
  node.require(count == 1 || count == channels,
               "input " + std::to_string(i + 1) + " has " + std::to_string(count) +
                   " numbers; must have 1 or " + std::to_string(channels));
}

void require_type(const NodeView& node, std::size_t i, const std::string& type) {
  if (node.has_input(i) && node.input(i).type != type)
    throw NotUnderstood{"input " + node.input(i).name + " of " + node.input(i).type +
                        "; must be of " + type};
}

OutputType layer_type(const NodeView& node) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  for (const std::size_t i : {at.input, at.weights})
    if (!is_byte_type(node.input(i).type))
      throw NotUnderstood{"tensors of " + node.input(at.input).type + " and " +
                          node.input(at.weights).type + "; must be of u8 or s8"};
  const GraphNode plain = plain_layer(node.node());
  const OutputType sums = output_types(NodeView(node.graph(), plain)).front();
  const std::int64_t channels = layer_channels(node);
  constexpr const char* kRows = "zero points or scales per row of A";
  require_numbers(node, at.input_zero, 1, is_conv(node) ? nullptr : kRows);
  require_numbers(node, at.input_scale, 1, is_conv(node) ? nullptr : kRows);
  require_numbers(node, at.weights_zero, channels);
  require_numbers(node, at.weights_scale, channels);
  require_type(node, at.input_zero, node.input(at.input).type);
  require_type(node, at.weights_zero, node.input(at.weights).type);
  if (!is_scaled_layer(node.kind())) return {.shape = sums.shape, .type = "s32"};
  for (const std::size_t i : {at.input_scale, at.weights_scale, at.output_scale})
    // FLOAT16 is accepted too, because f32 represents all its numbers.
    if (node.input(i).type != "FLOAT16") require_type(node, i, "f32");
  require_numbers(node, at.output_scale, 1, is_conv(node) ? nullptr : kRows);
  require_numbers(node, at.output_zero, 1, is_conv(node) ? nullptr : kRows);
  if (node.has_input(at.bias))
    node.require(elements_of(node.shape(at.bias)) == channels,
                 "the bias is " + shape_text(node.shape(at.bias)) + "; must have " +
                     std::to_string(channels) + " numbers");
  const std::string type = node.input(at.output_zero).type;
  if (!is_byte_type(type)) throw NotUnderstood{"an output of " + type + "; must be of u8 or s8"};
  return {.shape = sums.shape, .type = type};
}

OutputType quantisation_type(const NodeView& node) {
  const bool to_bytes = node.kind() == "QuantizeLinear";
  require_type(node, 1, "f32");
  if (node.integer("block_size", 0) != 0 || node.shape(1).size() > 1)
    throw NotUnderstood{"scales per block"};
  const bool per_channel = elements_of(node.shape(1)) != 1;
  const std::int64_t channels = per_channel ? node.shape(0)[scale_axis(node)] : 1;
  require_numbers(node, 1, channels);
  require_numbers(node, 2, channels);
  const std::string type = !to_bytes           ? node.input(0).type
                           : node.has_input(2) ? node.input(2).type
                                               : "u8";
  const bool is_s32 = !to_bytes && (type == "s32" || type == "i64");
  if (!is_byte_type(type) && !is_s32)
    throw NotUnderstood{node.kind() + " of " + type + "; must be of u8 or s8"};
  if (to_bytes) require_type(node, 0, "f32");
  if (node.integer("output_dtype", 0) != 0 && !node.has_input(2))
    throw NotUnderstood{"output_dtype without a zero point"};
  return {.shape = node.shape(0), .type = to_bytes ? type : "f32"};
}

}  // namespace

std::size_t scale_axis(const NodeView& node) {
  return node.axis(node.integer("axis", 1), node.shape(0).size());
}

std::int64_t layer_channels(const NodeView& node) {
  const GraphNode plain = plain_layer(node.node());
  const NodeView layer(node.graph(), plain);
  return plain.kind == "Conv" ? layer.shape(1)[0] : product_of(layer).n;
}

OutputType quantised_type(const NodeView& node) {
  return is_quantisation(node.kind()) ? quantisation_type(node) : layer_type(node);
}

}  // namespace tileplan
