// SPDX-License-Identifier: Apache-2.0
// Goes through the nodes in order: makes a problem of one, then follows its result to the epilogue.
#include "onnx_graph.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "onnx_checks.h"
#include "shape_rules.h"
#include "tileplan/error.h"
#include "tileplan/network.h"
#include "words.h"

namespace tileplan {
namespace {

struct NotPlanned {
  std::string reason;
};

std::int64_t product_of(Shape::const_iterator first, Shape::const_iterator last) {
  return std::accumulate(first, last, std::int64_t{1}, std::multiplies<>());
}

/// Returns the zeros that the last window reads after the input, or 0 for invalid sizes.
std::int64_t zeros_after(const Axis& axis) {
  const Exact needed = padding_needed(axis);
  return needed.fits() ? std::max<std::int64_t>(0, needed.value()) : 0;
}

void require_rank(const onnx::NodeProto& node, const char* what, const Shape& shape,
                  std::size_t rank) {
  if (shape.size() != rank)
    refuse(node, std::string(what) + " has " + std::to_string(shape.size()) +
                     " dimensions; must have " + std::to_string(rank));
}

void require_equal(const onnx::NodeProto& node, const char* what, std::int64_t first,
                   std::int64_t second) {
  if (first != second)
    refuse(node, std::string(what) + " are " + std::to_string(first) + " and " +
                     std::to_string(second) + "; must be equal");
}

class LayerCollector {
 public:
  explicit LayerCollector(const OnnxModel& model)
      : graph_(model.proto.graph()), values_(graph_, model.types) {}

  OnnxNetwork network() {
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (fused_.contains(i) || values_.is_computed_constant(node(i))) continue;
      try {
        add_layer(i);
      } catch (const NotPlanned& why) {
        network_.skipped.push_back(skipped(node(i), why.reason));
      }
    }
    return network_;
  }

 private:
  const onnx::NodeProto& node(int at) const { return graph_.node(at); }

  Shape known_shape(const std::string& value) const {
    const std::optional<Shape> shape = values_.shape(value);
    if (!shape) throw NotPlanned{"the shape of " + value + " is not known"};
    return *shape;
  }

  /// Returns the entry of a node without a plan. The work of convolutions and products of known
  /// shape is counted: each output takes one multiply-add per weight that it depends on.
  OnnxSkipped skipped(const onnx::NodeProto& node, const std::string& reason) const {
    OnnxSkipped entry{.name = name_of(node), .kind = node.op_type(), .reason = reason};
    if (!is_operation(node.op_type()) || node.input_size() < 2) return entry;
    const auto first = values_.shape(node.input(0)), second = values_.shape(node.input(1)),
               output = values_.shape(node.output(0));
    if (!first || !second || !output || first->size() < 2 || second->empty()) return entry;
    const auto elements = [](const Shape& shape) {
      return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
    };
    double steps = elements(*second) / static_cast<double>(second->front());
    if (node.op_type() == "Gemm")
      steps = static_cast<double>((*first)[integer_of(node, "transA", 0) != 0 ? 0 : 1]);
    if (node.op_type() == "MatMul") steps = static_cast<double>(first->back());
    constexpr double kBytes = 4;  // The element type may be unknown; f32 is the usual one.
    entry.flops = 2 * elements(*output) * steps;
    entry.bytes = kBytes * (elements(*first) + elements(*second) + elements(*output));
    return entry;
  }

  static bool is_operation(const std::string& kind) {
    return kind == "Conv" || kind == "Gemm" || kind == "MatMul";
  }

  void add_layer(int at) {
    const std::string& operation = node(at).op_type();
    OnnxLayer layer{.name = name_of(node(at))};
    if (is_operation(operation) && node(at).input_size() < 2)
      refuse(node(at), operation + " has too few inputs; must have at least 2");
    if (operation == "Conv")
      layer.problem = conv_problem(at, layer.epilogue);
    else if (operation == "Gemm")
      layer.problem = gemm_problem(at, layer.epilogue);
    else if (operation == "MatMul")
      layer.problem = matmul_problem(at);
    else
      throw NotPlanned{operation + " is neither a convolution nor a product"};
    try {
      validate(layer.problem);
    } catch (const Error& error) {
      throw NotPlanned{error.what()};
    }
    fuse(at, layer.epilogue);
    const auto equal = std::ranges::find_if(network_.layers, [&](const OnnxLayer& each) {
      return each.problem == layer.problem && each.epilogue == layer.epilogue;
    });
    if (equal == network_.layers.end())
      network_.layers.push_back(std::move(layer));
    else
      equal->others.push_back(layer.name);
  }

  ElementType element_type(int at) const {
    const int first = values_.element_type(node(at).input(0)),
              second = values_.element_type(node(at).input(1));
    if (first == second && first == onnx::TensorProto::FLOAT) return ElementType::f32;
    if (first == second && first == onnx::TensorProto::DOUBLE) return ElementType::f64;
    const auto name = [](int type) {
      return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(type));
    };
    throw NotPlanned{"tensors of " + name(first) + " and " + name(second) +
                     "; must both be FLOAT or DOUBLE"};
  }

  Problem conv_problem(int at, Epilogue& epilogue) const {
    const onnx::NodeProto& conv = node(at);
    const Shape in = known_shape(conv.input(0)), weights = known_shape(conv.input(1)),
                out = known_shape(conv.output(0));
    if (in.size() < 3 || in.size() > 5)
      throw NotPlanned{"a convolution over other than 1 to 3 axes"};
    require_rank(conv, "the output", out, in.size());
    const std::size_t axes = in.size() - 2;
    epilogue.bias = conv.input_size() > 2 && !conv.input(2).empty();
    const std::int64_t groups = integer_of(conv, "group", 1);
    if (groups < 1 || in[1] % groups != 0)
      refuse(conv, "group is " + std::to_string(groups) + "; must divide the " +
                       std::to_string(in[1]) + " channels of the input");
    require_equal(conv, "the channels of a group and of the weights", in[1] / groups, weights[1]);
    const Shape strides = integers_of(conv, "strides", Shape(axes, 1)),
                dilations = integers_of(conv, "dilations", Shape(axes, 1)),
                pads = integers_of(conv, "pads", Shape(2 * axes, 0));
    ConvShape shape{.n = in[0], .g = groups, .c = in[1], .k = weights[0], .type = element_type(at)};
    const std::array<Axis*, 3> targets{&shape.width, &shape.height, &shape.depth};
    for (std::size_t i = 0; i < axes; ++i) {
      const std::size_t from = axes - 1 - i;  // The width is last.
      Axis axis{.in = in[2 + from],
                .out = out[2 + from],
                .filter = weights[2 + from],
                .stride = strides[from],
                .dilation = dilations[from]};
      axis.pad_before = zeros_before(conv, axis, pads[from]);
      axis.pad_after = zeros_after(axis);
      *targets[i] = axis;
    }
    return shape;
  }

  /// Returns the zeros before the input, which are `explicit_pad` without automatic padding.
  static std::int64_t zeros_before(const onnx::NodeProto& conv, const Axis& axis,
                                   std::int64_t explicit_pad) {
    const onnx::AttributeProto* automatic = find_attribute(conv, "auto_pad");
    if (!automatic || automatic->s() == "NOTSET") return explicit_pad;
    if (automatic->s() == "VALID") return 0;
    const std::int64_t all = zeros_after(axis);
    return automatic->s() == "SAME_LOWER" ? all - all / 2 : all / 2;
  }

  Problem gemm_problem(int at, Epilogue& epilogue) const {
    const onnx::NodeProto& product = node(at);
    if (integer_of(product, "transA", 0) != 0) throw NotPlanned{"A is transposed"};
    if (real_of(product, "alpha", 1) != 1) throw NotPlanned{"alpha is not 1"};
    const bool transposed = integer_of(product, "transB", 0) != 0;
    if (transposed && !values_.is_constant(product.input(1)))
      throw NotPlanned{"B is transposed and no constant, which could be packed beforehand"};
    const Shape a = known_shape(product.input(0)), b = known_shape(product.input(1));
    require_rank(product, "A", a, 2);
    require_rank(product, "B", b, 2);
    require_equal(product, "the reduction sizes of A and B", a[1], transposed ? b[1] : b[0]);
    const std::int64_t n = transposed ? b[0] : b[1];
    if (product.input_size() > 2 && !product.input(2).empty()) {
      if (real_of(product, "beta", 1) != 1) throw NotPlanned{"beta is not 1"};
      if (!add_operand(product.input(2), {a[0], n}, epilogue))
        throw NotPlanned{"C is neither a bias nor of the shape of the output"};
    }
    return make_gemm({.m = a[0], .n = n, .k = a[1]}, element_type(at));
  }

  Problem matmul_problem(int at) const {
    const Shape a = known_shape(node(at).input(0)), b = known_shape(node(at).input(1));
    if (a.size() < 2 || b.size() < 2) throw NotPlanned{"a product with a vector"};
    const std::int64_t k = a.back(), n = b.back();
    require_equal(node(at), "the reduction sizes of A and B", k, b[b.size() - 2]);
    const ElementType type = element_type(at);
    if (b.size() == 2)
      return make_gemm({.m = product_of(a.begin(), a.end() - 1), .n = n, .k = k}, type);
    if (!std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2))
      throw NotPlanned{"batches of A and B differ"};
    return make_gemm(
        {.b = product_of(a.begin(), a.end() - 2), .m = a[a.size() - 2], .n = n, .k = k}, type);
  }

  static Problem make_gemm(GemmShape shape, ElementType type) {
    shape.type = type;
    shape.lda = shape.k;
    shape.ldb = shape.ldc = shape.n;
    return shape;
  }

  /// Adds `value` to `epilogue` as a bias over the channels or as a residual, if it is one.
  bool add_operand(const std::string& value, const Shape& out, Epilogue& epilogue) const {
    const std::optional<Shape> shape = values_.shape(value);
    if (!shape || shape->size() > out.size()) return false;
    const std::size_t channels = out.size() == 2 || !is_conv_ ? out.size() - 1 : 1;
    Shape spread = *shape;
    spread.insert(spread.begin(), out.size() - spread.size(), 1);
    Shape per_channel(out.size(), 1);
    per_channel[channels] = out[channels];
    const bool is_bias = spread == per_channel && values_.is_constant(value);
    if (epilogue.add || (!is_bias && *shape != out)) return false;
    (is_bias ? epilogue.bias : epilogue.add) = true;
    return true;
  }

  /// Adds the nodes after `at` to `epilogue` while each is the only reader of the one before.
  void fuse(int at, Epilogue& epilogue) {
    is_conv_ = node(at).op_type() == "Conv";
    for (int last = at;;) {
      const std::vector<int> readers = values_.readers(node(last).output(0));
      if (readers.size() != 1 || readers.front() >= graph_.node_size()) return;
      if (!join(readers.front(), last, at, epilogue)) return;
      last = readers.front();
      fused_.insert(last);
    }
  }

  /// Adds node `next`, which reads the result of `last`, to `epilogue`; returns whether it could.
  bool join(int next, int last, int at, Epilogue& epilogue) const {
    const std::string& operation = node(next).op_type();
    if (epilogue.low > -kInfinity || epilogue.high < kInfinity) return false;
    if (operation == "Relu") {
      epilogue.low = 0;
      return true;
    }
    if (operation == "Clip") return join_clip(next, epilogue);
    if (operation == "BatchNormalization") return join_normalization(next, last, at, epilogue);
    if (operation != "Add" || node(next).input_size() != 2) return false;
    const std::string& other = node(next).input(node(next).input(0) == node(last).output(0));
    const std::optional<Shape> out = values_.shape(node(last).output(0));
    return out && values_.producer(other) < at && add_operand(other, *out, epilogue);
  }

  bool join_clip(int next, Epilogue& epilogue) const {
    const onnx::NodeProto& clip = node(next);
    const auto limit = [&](int input, const char* name, double open) -> std::optional<double> {
      if (clip.input_size() > input && !clip.input(input).empty())
        return values_.scalar(clip.input(input));
      return real_of(clip, name, static_cast<float>(open));
    };
    const std::optional<double> low = limit(1, "min", -kInfinity),
                                high = limit(2, "max", kInfinity);
    if (!low || !high || !(*low <= *high)) return false;
    epilogue.low = *low;
    epilogue.high = *high;
    return true;
  }

  /// Normalization by constants scales the weights and shifts the bias, so it must be the first.
  bool join_normalization(int next, int last, int at, Epilogue& epilogue) const {
    if (last != at || !is_conv_ || !values_.is_constant(node(at).input(1))) return false;
    for (int i = 1; i < node(next).input_size(); ++i)
      if (!values_.is_constant(node(next).input(i))) return false;
    epilogue.bias = true;
    return true;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  const onnx::GraphProto& graph_;
  OnnxValues values_;
  OnnxNetwork network_;
  std::set<int> fused_;
  bool is_conv_ = false;  ///< The layer whose epilogue is being built is a convolution.
};

}  // namespace

OnnxNetwork read_onnx(const std::string& path, const InputShapes& shapes) {
  try {
    return LayerCollector(load_model(path, shapes)).network();
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

InputShapes parse_shapes(const std::vector<std::string>& texts) {
  InputShapes shapes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("--shape: '" + text + "'; must be like input=1x3x224x224");
    std::vector<std::int64_t>& extents = shapes[text.substr(0, equals)];
    for (std::size_t at = equals + 1; at <= text.size();) {
      const std::size_t end = std::min(text.find('x', at), text.size());
      extents.push_back(number_from(1, "--shape: " + quoted(text), text.substr(at, end - at)));
      at = end + 1;
    }
  }
  return shapes;
}

}  // namespace tileplan
