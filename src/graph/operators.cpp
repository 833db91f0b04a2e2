// SPDX-License-Identifier: Apache-2.0
// Each group of operators has a function that checks inputs and returns the shapes and types of the
// results.
#include "operators.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "integers.h"
#include "moves.h"
#include "quantised.h"

namespace tileplan {
namespace {

using Types = std::vector<OutputType>;

template <std::size_t Count>
bool is_one_of(const std::string& kind, const std::array<std::string_view, Count>& names) {
  return std::ranges::find(names, kind) != names.end();
}

constexpr std::array<std::string_view, 13> kUnary{
    "Relu", "LeakyRelu", "Clip", "Sigmoid", "HardSigmoid", "HardSwish", "Swish",
    "Tanh", "Exp",       "Neg",  "Sqrt",    "Abs",         "Erf"};
constexpr std::array<std::string_view, 7> kOrderKeeping{
    "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Cast"};

/// Returns the shape that a Reshape to a target such as {0, -1, 64} produces. The extent 0 keeps
/// that of the input unless the attribute `allowzero` is set. The extent -1 follows from the number
/// of elements.
Extents reshaped(const NodeView& node, const Extents& target) {
  const Extents& in = node.shape(0);
  const std::int64_t all = elements_of(in);
  const bool keeps_zero = node.integer("allowzero", 0) != 0;
  Extents out = target;
  std::int64_t known = 1;
  std::ptrdiff_t open = -1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !keeps_zero) {
      node.require(i < in.size(), "the new shape keeps axis " + std::to_string(i) +
                                      ", which the input lacks; must be one of its axes");
      out[i] = in[i];
    }
    node.require(out[i] >= -1,
                 "the new shape has " + std::to_string(out[i]) + "; must be an extent, 0 or -1");
    if (out[i] == -1) {
      node.require(open < 0, "the new shape has -1 twice; must be once at most");
      open = static_cast<std::ptrdiff_t>(i);
      continue;
    }
    node.require(!multiply_overflows(known, out[i], known),
                 "the new shape " + shape_text(target) + " overflows; must not");
  }
  if (open >= 0) {
    node.require(known > 0 && all % known == 0, "the new shape " + shape_text(target) +
                                                    " does not divide the " + std::to_string(all) +
                                                    " elements of the input; it must");
    out[static_cast<std::size_t>(open)] = all / known;
  }
  node.require(elements_of(out) == all, "the new shape " + shape_text(out) + " has not the " +
                                            std::to_string(all) +
                                            " elements of the input; it must");
  return out;
}

Extents flattened(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::int64_t at = node.integer("axis", 1);
  const bool is_end = at == std::ssize(in);
  const auto axis = static_cast<std::ptrdiff_t>(is_end ? in.size() : node.axis(at, in.size()));
  return {elements_of({in.begin(), in.begin() + axis}), elements_of({in.begin() + axis, in.end()})};
}

Extents squeezed(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::optional<Extents> axes = node.integers_at(1, "axes");
  std::vector<bool> gone(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) gone[i] = !axes && in[i] == 1;
  for (const std::int64_t each : axes.value_or(Extents{})) {
    const std::size_t axis = node.axis(each, in.size());
    node.require(in[axis] == 1, "axis " + std::to_string(axis) + " has " +
                                    std::to_string(in[axis]) + " elements; must have 1");
    gone[axis] = true;
  }
  Extents out;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!gone[i]) out.push_back(in[i]);
  return out;
}

Extents unsqueezed(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::optional<Extents> axes = node.integers_at(1, "axes");
  node.require(axes && axes->size() < 64, "Unsqueeze has no axes; it must have some");
  std::vector<bool> is_new(in.size() + axes->size());
  for (const std::int64_t each : *axes) {
    const std::size_t axis = node.axis(each, is_new.size());
    node.require(!is_new[axis],
                 "axis " + std::to_string(axis) + " is added twice; must be added once");
    is_new[axis] = true;
  }
  Extents out;
  auto next = in.begin();
  for (const bool added : is_new) out.push_back(added ? 1 : *next++);
  return out;
}

Types order_keeping_types(const NodeView& node) {
  const GraphValue& in = node.input(0);
  Types types{{.shape = node.shape(0), .type = in.type}};
  if (node.kind() == "Flatten") types[0].shape = flattened(node);
  if (node.kind() == "Squeeze") types[0].shape = squeezed(node);
  if (node.kind() == "Unsqueeze") types[0].shape = unsqueezed(node);
  if (node.kind() == "Reshape") {
    const std::optional<Extents> target = node.integers_at(1, "shape");
    node.require(target.has_value(), "Reshape has no shape; it must have one");
    types[0].shape = reshaped(node, *target);
  }
  if (node.kind() == "Cast") types[0].type = node.text("type", in.type);
  if (node.kind() == "Dropout") {
    const auto training = node.reals_at(2);
    if (training && !training->empty() && training->front() != 0)
      throw NotUnderstood{"Dropout while training"};
    types.push_back({.shape = types[0].shape, .type = "BOOL"});
  }
  return types;
}

bool is_layer_kind(const std::string& kind) { return kind == "Conv" || is_product(kind); }

/// Throws NotUnderstood when one of the first `count` inputs is present and has another type than
/// the first one, except in a convolution or product whose first input has bytes.
void require_equal_types(const NodeView& node, std::size_t count) {
  // In a quantised layer, the operands may have different types of bytes.
  if (is_byte_type(node.input(0).type) && is_layer_kind(node.kind())) return;
  for (std::size_t i = 1; i < count; ++i)
    if (node.has_input(i) && node.input(i).type != node.input(0).type)
      throw NotUnderstood{"tensors of " + node.input(0).type + " and " + node.input(i).type +
                          "; must both be f32 or f64"};
}

Types conv_types(const NodeView& node) {
  const Extents &in = node.shape(0), &weights = node.shape(1);
  node.require(in.size() >= 3,
               "the input has " + std::to_string(in.size()) + " dimensions; must have at least 3");
  node.require(weights.size() == in.size(), "the weights have " + std::to_string(weights.size()) +
                                                " dimensions; must have " +
                                                std::to_string(in.size()) + " like the input");
  if (weights[0] == 0) throw NotUnderstood{"a convolution without output channels"};
  const std::int64_t groups = node.integer("group", 1);
  node.require(groups >= 1 && in[1] % groups == 0 && weights[0] % groups == 0,
               "group is " + std::to_string(groups) + "; must divide the " + std::to_string(in[1]) +
                   " channels of the input");
  node.require(in[1] / groups == weights[1], "the channels of a group and of the weights are " +
                                                 std::to_string(in[1] / groups) + " and " +
                                                 std::to_string(weights[1]) + "; must be equal");
  if (node.has_input(2))
    node.require(node.shape(2) == Extents{weights[0]}, "the bias is " + shape_text(node.shape(2)) +
                                                           "; must have " +
                                                           std::to_string(weights[0]) + " numbers");
  require_equal_types(node, node.inputs());
  Types types{{.shape = {in[0], weights[0]}, .type = node.input(0).type}};
  for (const Axis& axis : windows_of(node, conv_window(node))) types[0].shape.push_back(axis.out);
  return types;
}

Types pool_types(const NodeView& node) {
  const Extents& in = node.shape(0);
  if (in.size() < 3 || in.size() > 4) throw NotUnderstood{"a pool over other than 1 or 2 axes"};
  if (node.integer("storage_order", 0) != 0) throw NotUnderstood{"column-major indices"};
  Types types{{.shape = {in[0], in[1]}, .type = node.input(0).type}};
  for (const Axis& axis : windows_of(node, pool_window(node))) types[0].shape.push_back(axis.out);
  if (node.node().outputs.size() > 1 && node.node().outputs[1] >= 0)
    throw NotUnderstood{"indices of the largest elements"};
  return types;
}

Types global_pool_types(const NodeView& node) {
  Extents out = node.shape(0);
  node.require(out.size() >= 3,
               "the input has " + std::to_string(out.size()) + " dimensions; must have at least 3");
  std::fill(out.begin() + 2, out.end(), 1);
  return {{.shape = out, .type = node.input(0).type}};
}

Types product_types(const NodeView& node) {
  const Product product = product_of(node);
  require_equal_types(node, 2);
  Extents out = node.shape(0);
  out.back() = product.n;
  if (node.kind() == "Gemm") {
    out = {product.m, product.n};
    if (node.has_input(2))
      node.require(broadcast(node, node.shape(2), out) == out,
                   "C is " + shape_text(node.shape(2)) + "; must spread to " + shape_text(out));
  }
  return {{.shape = out, .type = node.input(0).type}};
}

Types binary_types(const NodeView& node) {
  node.require(node.inputs() >= 1, node.kind() + " has no input; it must have some");
  if (is_binary(node.kind()))
    node.require(node.inputs() == 2,
                 node.kind() + " has " + std::to_string(node.inputs()) + " inputs; must have 2");
  if (node.has("axis") || node.integer("broadcast", 0) != 0)
    throw NotUnderstood{node.kind() + " with the broadcast rule of old operator sets"};
  require_equal_types(node, node.inputs());
  Extents out = node.shape(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) out = broadcast(node, out, node.shape(i));
  return {{.shape = out, .type = node.input(0).type}};
}

Types per_channel_types(const NodeView& node, std::size_t constants) {
  const Extents& in = node.shape(0);
  node.require(in.size() >= 2,
               "the input has " + std::to_string(in.size()) + " dimensions; must have at least 2");
  const std::size_t axis = node.axis(node.integer("axis", 1), in.size());
  for (std::size_t i = 1; i <= constants; ++i)
    node.require(node.shape(i) == Extents{in[axis]}, "input " + std::to_string(i + 1) + " is " +
                                                         shape_text(node.shape(i)) +
                                                         "; must have one number for each of " +
                                                         std::to_string(in[axis]) + " channels");
  return {{.shape = in, .type = node.input(0).type}};
}

Types normalization_types(const NodeView& node) {
  if (node.integer("training_mode", 0) != 0) throw NotUnderstood{"normalisation while training"};
  if (node.integer("spatial", 1) != 1) throw NotUnderstood{"normalisation of each element"};
  require_equal_types(node, 5);
  return per_channel_types(node, 4);
}

Types affine_types(const NodeView& node) { return per_channel_types(node, 2); }

Types shape_types(const NodeView& node) {
  return {{.shape = {std::ssize(listed_extents(node))}, .type = "i64"}};
}

Types like_input(const NodeView& node) {
  const Extents& in = node.shape(0);
  if (node.kind() == "Softmax") node.axis(node.integer("axis", -1), in.size());
  if (node.kind() == "LRN") {
    node.require(in.size() >= 2, "the input has " + std::to_string(in.size()) +
                                     " dimensions; must have at least 2");
    node.require(node.integer("size", 1) >= 1, "size is below 1; must be at least 1");
  }
  return {{.shape = in, .type = node.input(0).type}};
}

Types mean_types(const NodeView& node) {
  const Extents &in = node.shape(0), kept = mean_shape(node);
  Types types{{.shape = kept, .type = node.input(0).type}};
  if (node.integer("keepdims", 1) != 0) return types;
  types[0].shape.clear();
  const std::vector<bool> is_reduced = reduced_axes(node);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!is_reduced[i]) types[0].shape.push_back(in[i]);
  return types;
}

Types filled_types(const NodeView& node) {
  const auto shape = node.integers_at(0, "");
  node.require(shape.has_value(), "ConstantOfShape has no shape; it must have one");
  const auto value = node.node().attributes.find("value");
  const bool integers =
      value != node.node().attributes.end() && std::holds_alternative<std::int64_t>(value->second);
  return {{.shape = *shape, .type = integers ? "i64" : "f32"}};
}

Types move_types(const NodeView& node) {
  // An operator such as Split has several outputs, so moves_of() computes the number of outputs and
  // their shapes.
  Types types;
  for (Extents& shape : moves_of(node).outputs)
    types.push_back({.shape = std::move(shape), .type = node.input(0).type});
  if (node.kind() == "Gather" && node.shape(1).empty()) {
    const auto axis = node.axis(node.integer("axis", 0), node.shape(0).size());
    types[0].shape.erase(types[0].shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  if (node.kind() == "Concat") require_equal_types(node, node.inputs());
  return types;
}

/// Returns true for the operators that like_input() handles. Their results have the shape and type
/// of their first input.
bool keeps_shape(const std::string& kind) {
  return kind == "Softmax" || kind == "LRN" || is_unary(kind);
}

Types dynamic_types(const NodeView& node) {
  if (node.input(0).type != "f32") throw NotUnderstood{"tensors of " + node.input(0).type};
  node.require(elements_of(node.shape(0)) > 0, "the input is empty; must have elements");
  return {{.shape = node.shape(0), .type = "u8"}, {.type = "f32"}, {.type = "u8"}};
}

Types types_of_kind(const NodeView& node) {
  const std::string& kind = node.kind();
  if (is_product(kind)) return product_types(node);
  if (keeps_shape(kind)) return like_input(node);
  if (keeps_order(kind)) return order_keeping_types(node);
  if (is_move(kind)) return move_types(node);
  if (is_binary(kind) || kind == "Sum") return binary_types(node);
  if (is_quantised_layer(kind) || is_quantisation(kind)) return {quantised_type(node)};
  static const std::map<std::string, Types (*)(const NodeView&)> others{
      {"Conv", conv_types},
      {"MaxPool", pool_types},
      {"AveragePool", pool_types},
      {"GlobalAveragePool", global_pool_types},
      {"BatchNormalization", normalization_types},
      {"Affine", affine_types},
      {"ReduceMean", mean_types},
      {"DynamicQuantizeLinear", dynamic_types},
      {"ConstantOfShape", filled_types},
      {"Shape", shape_types}};
  const auto found = others.find(kind);
  if (found == others.end()) throw NotUnderstood{"tileplan knows no operator " + kind};
  return found->second(node);
}

}  // namespace

bool is_unary(const std::string& kind) { return is_one_of(kind, kUnary); }

std::vector<bool> reduced_axes(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  std::vector<bool> is_reduced(rank, true);
  if (node.kind() == "GlobalAveragePool") {
    is_reduced[0] = is_reduced[1] = false;
  } else if (const auto axes = node.integers_at(1, "axes"); axes && !axes->empty()) {
    is_reduced.assign(rank, false);
    for (const std::int64_t axis : *axes) is_reduced[node.axis(axis, rank)] = true;
  } else if (node.integer("noop_with_empty_axes", 0) != 0) {
    is_reduced.assign(rank, false);
  }
  return is_reduced;
}

Extents mean_shape(const NodeView& node) {
  Extents shape = node.shape(0);
  const std::vector<bool> is_reduced = reduced_axes(node);
  for (std::size_t a = 0; a < shape.size(); ++a)
    if (is_reduced[a]) shape[a] = 1;
  return shape;
}
bool keeps_order(const std::string& kind) { return is_one_of(kind, kOrderKeeping); }
bool is_binary(const std::string& kind) {
  return kind == "Add" || kind == "Sub" || kind == "Mul" || kind == "Div";
}
bool is_product(const std::string& kind) {
  return kind == "Gemm" || kind == "MatMul" || kind == "Product";
}

Extents broadcast(const NodeView& node, const Extents& first, const Extents& second) {
  Extents out(std::max(first.size(), second.size()), 1);
  const auto extent = [&](const Extents& shape, std::size_t i) {
    const std::size_t missing = out.size() - shape.size();
    return i < missing ? 1 : shape[i - missing];
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t one = extent(first, i), two = extent(second, i);
    node.require(one == two || one == 1 || two == 1,
                 "the inputs are " + shape_text(first) + " and " + shape_text(second) +
                     "; an extent must be that of the other or 1");
    out[i] = one == 1 ? two : one;
  }
  return out;
}

Extents listed_extents(const NodeView& node) {
  const Extents& in = node.shape(0);
  const auto rank = std::ssize(in);
  const auto axis = [&](const char* attribute, std::int64_t otherwise) {
    const std::int64_t at = node.integer(attribute, otherwise);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = axis("start", 0), end = std::max(start, axis("end", rank));
  return {in.begin() + start, in.begin() + end};
}

std::vector<OutputType> output_types(const NodeView& node) {
  Types types = types_of_kind(node);
  for (const OutputType& type : types)
    count_elements("the result of node " + node.node().name, type.shape);
  return types;
}

}  // namespace tileplan
