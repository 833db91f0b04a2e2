// SPDX-License-Identifier: Apache-2.0
// This file chooses the loops of each operator, and runs whole graphs.
#include "plain_graph.h"

#include <algorithm>
#include <limits>

#include "activation.h"
#include "elementwise.h"
#include "moves.h"
#include "operators.h"
#include "quantised.h"

namespace tileplan {
namespace {

/// Calls `body` with the list of numbers in its element type, and returns the list that `body`
/// returns.
template <class Body>
Numbers with_list(const Numbers& numbers, const Body& body) {
  return std::visit([&](const auto& list) -> Numbers { return body(list); }, numbers);
}

/// Returns the offset of the element of a row-major tensor of `shape` that becomes element `i` when
/// the tensor is broadcast to the shape `out` by numpy's rules.
std::int64_t spread_place(std::int64_t i, const Extents& out, const Extents& shape) {
  std::int64_t place = 0, stride = 1;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const std::int64_t extent = shape[shape.size() - 1 - a];
    const std::int64_t index = i % out[out.size() - 1 - a];
    i /= out[out.size() - 1 - a];
    if (extent != 1) place += index * stride;
    stride *= extent;
  }
  return place;
}

float combine(const NodeView& node, float a, float b) {
  if (node.kind() == "Sub") return a - b;
  if (node.kind() == "Mul") return a * b;
  return node.kind() == "Div" ? a / b : a + b;
}

template <class Number>
Number combine(const NodeView& node, Number /*a*/, Number /*b*/) {
  throw NotUnderstood{"tensors of " + node.input(0).type};
}

/// Applies a binary operator to integers, such as extents of shapes. Throws Error when the result
/// overflows, and for a division by 0.
std::int64_t combine(const NodeView& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  if (node.kind() == "Div") {
    if (b == 0) node.refuse("Div of " + std::to_string(a) + " by 0; must be another divisor");
    overflows = b == -1 && a == std::numeric_limits<std::int64_t>::min();
    result = overflows ? 0 : a / b;
  } else if (node.kind() == "Mul") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else if (node.kind() == "Sub") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else {
    overflows = __builtin_add_overflow(a, b, &result);
  }
  if (overflows)
    node.refuse(node.kind() + " of " + std::to_string(a) + " and " + std::to_string(b) +
                " has no result; must be from -2^63 to 2^63 - 1");
  return result;
}

/// Applies a binary operator, or Sum, to all inputs from left to right.
Numbers combined(const NodeView& node, const PlainInputs& inputs) {
  const Extents& out = node.out_shape();
  return with_list(*inputs[0], [&]<class Number>(const std::vector<Number>& first) {
    std::vector<Number> result(static_cast<std::size_t>(elements_of(out)));
    for (std::int64_t i = 0; i < std::ssize(result); ++i) {
      Number value = first[static_cast<std::size_t>(spread_place(i, out, node.shape(0)))];
      for (std::size_t k = 1; k < inputs.size(); ++k)
        value =
            combine(node, value,
                    std::get<std::vector<Number>>(
                        *inputs[k])[static_cast<std::size_t>(spread_place(i, out, node.shape(k)))]);
      result[static_cast<std::size_t>(i)] = value;
    }
    return result;
  });
}

template <class Number>
std::vector<Numbers> moved_lists(const NodeView& node, const Moves& moves,
                                 const PlainInputs& inputs) {
  std::vector<std::vector<Number>> lists;
  for (const Extents& shape : moves.outputs)
    lists.emplace_back(static_cast<std::size_t>(elements_of(shape)),
                       static_cast<Number>(moves.fill));
  for (const Move& move : moves.list) {
    const OffsetLoops loops =
        row_major_loops(move, node.shape(move.input), moves.outputs[move.output]);
    const bool empty = std::ranges::any_of(
        loops.loops, [](const OffsetLoops::Loop& loop) { return loop.from.empty(); });
    if (!empty)
      run_loops(loops, std::get<std::vector<Number>>(*inputs[move.input]).data(),
                lists[move.output].data());
  }
  return {lists.begin(), lists.end()};
}

std::vector<Numbers> moved(const NodeView& node, const PlainInputs& inputs) {
  const Moves moves = moves_of(node);
  return std::visit(
      [&]<class Number>(const std::vector<Number>&) {
        return moved_lists<Number>(node, moves, inputs);
      },
      *inputs[0]);
}

/// Computes x * scale + shift with one scale and one shift for each index along the axis that the
/// attribute `axis` gives.
std::vector<float> affine(const NodeView& node, const PlainInputs& inputs) {
  const std::vector<float>&in = floats_of(inputs, 0), &scale = floats_of(inputs, 1),
        &shift = floats_of(inputs, 2);
  const Extents& shape = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", 1), shape.size());
  const std::int64_t inner = row_major(shape)[axis];
  std::vector<float> out(in.size());
  for (std::int64_t i = 0; i < std::ssize(in); ++i) {
    const auto at = static_cast<std::size_t>(i),
               c = static_cast<std::size_t>(i / inner % shape[axis]);
    out[at] = in[at] * scale[c] + shift[c];
  }
  return out;
}

std::vector<float> normalized(const NodeView& node, const PlainInputs& inputs) {
  const std::vector<float>&in = floats_of(inputs, 0), &scale = floats_of(inputs, 1),
        &shift = floats_of(inputs, 2), &mean = floats_of(inputs, 3),
        &variance = floats_of(inputs, 4);
  const double epsilon = node.real("epsilon", 1e-5);
  const Extents& shape = node.shape(0);
  const std::int64_t inner = row_major(shape)[1];
  std::vector<float> out(in.size());
  for (std::int64_t i = 0; i < std::ssize(in); ++i) {
    const auto at = static_cast<std::size_t>(i), c = static_cast<std::size_t>(i / inner % shape[1]);
    const double deviation = std::sqrt(static_cast<double>(variance[c]) + epsilon);
    out[at] =
        static_cast<float>(static_cast<double>(in[at] - mean[c]) / deviation * scale[c] + shift[c]);
  }
  return out;
}

Numbers filled(const NodeView& node) {
  const auto count = static_cast<std::size_t>(elements_of(node.out_shape()));
  const auto value = node.node().attributes.find("value");
  if (value == node.node().attributes.end()) return std::vector<float>(count);
  if (const auto* integer = std::get_if<std::int64_t>(&value->second))
    return std::vector<std::int64_t>(count, *integer);
  return std::vector<float>(count, static_cast<float>(node.real("value", 0)));
}

Numbers cast(const NodeView& node, const Numbers& in) {
  const std::string type = node.text("type", "");
  const auto* integers = std::get_if<Extents>(&in);
  if (integers && type == "i64") return in;
  if (integers && type == "f32") return std::vector<float>(integers->begin(), integers->end());
  if (std::holds_alternative<std::vector<float>>(in) && type == "f32") return in;
  if (const auto* sums = std::get_if<std::vector<std::int32_t>>(&in); sums && type == "f32")
    return std::vector<float>(sums->begin(), sums->end());
  throw NotUnderstood{"Cast from " + node.input(0).type + " to " + type};
}

/// Computes an operator whose result is f32.
std::vector<float> compute_floats(const NodeView& node, const PlainInputs& inputs) {
  const std::string& kind = node.kind();
  if (kind == "Conv") return plain_conv(node, inputs);
  if (is_product(kind)) return plain_product(node, inputs);
  if (kind == "MaxPool" || kind == "AveragePool") return plain_pool(node, floats_of(inputs, 0));
  if (kind == "GlobalAveragePool" || kind == "ReduceMean")
    return plain_mean(node, floats_of(inputs, 0));
  if (kind == "LRN") return plain_lrn(node, floats_of(inputs, 0));
  if (kind == "Softmax") return plain_softmax(node, floats_of(inputs, 0));
  if (kind == "Affine") return affine(node, inputs);
  if (kind == "BatchNormalization") return normalized(node, inputs);
  if (is_unary(kind)) {
    std::vector<float> out(floats_of(inputs, 0).size());
    Unary(node).run(out.size(), floats_of(inputs, 0).data(), out.data());
    return out;
  }
  throw NotUnderstood{"tileplan knows no operator " + kind};
}

Numbers compute_one(const NodeView& node, const PlainInputs& inputs) {
  const std::string& kind = node.kind();
  if (kind == "Shape") return listed_extents(node);
  if (kind == "ConstantOfShape") return filled(node);
  if (kind == "Cast") return cast(node, *inputs[0]);
  if (keeps_order(kind)) return *inputs[0];
  if (is_binary(kind) || kind == "Sum") return combined(node, inputs);
  if (is_quantised_layer(kind) || is_quantisation(kind)) return compute_quantised(node, inputs);
  return compute_floats(node, inputs);
}

}  // namespace

const std::vector<float>& floats_of(const PlainInputs& inputs, std::size_t i) {
  const auto* list =
      i < inputs.size() && inputs[i] ? std::get_if<std::vector<float>>(inputs[i]) : nullptr;
  if (!list) throw NotUnderstood{"tensors of other types than f32"};
  return *list;
}

std::vector<Numbers> compute_plain(const NodeView& node, const PlainInputs& inputs) {
  std::vector<Numbers> outputs;
  if (is_move(node.kind()))
    outputs = moved(node, inputs);
  else if (node.kind() == "DynamicQuantizeLinear")
    outputs = compute_dynamic(inputs);
  else
    outputs.push_back(compute_one(node, inputs));
  const Limits limits = limits_of(node);
  const Activation activation = activation_of(node);
  auto* list = std::get_if<std::vector<float>>(&outputs[0]);
  if (list && activation.any())
    for (float& value : *list) value = static_cast<float>(activated(activation, value));
  if (list && limits.any())
    for (float& value : *list) value = limits.clamp(value);
  return outputs;
}

std::vector<std::shared_ptr<const Numbers>> run_plain(const Graph& graph,
                                                      std::span<const Numbers> inputs) {
  std::vector<std::shared_ptr<const Numbers>> numbers;
  for (const GraphValue& value : graph.values) numbers.push_back(value.numbers);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    numbers[static_cast<std::size_t>(graph.inputs[i])] = std::make_shared<const Numbers>(inputs[i]);
  for (const GraphNode& node : graph.nodes) {
    PlainInputs read;
    for (const int value : node.inputs)
      read.push_back(value < 0 ? nullptr : numbers[static_cast<std::size_t>(value)].get());
    std::vector<Numbers> results = compute_plain(NodeView(graph, node), read);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (node.outputs[i] >= 0)
        numbers[static_cast<std::size_t>(node.outputs[i])] =
            std::make_shared<const Numbers>(std::move(results[i]));
  }
  return numbers;
}

}  // namespace tileplan
