// SPDX-License-Identifier: Apache-2.0
// This file writes element-wise operators, whose inputs may be broadcast. A function whose output
// has the address of its first input takes one pointer for both; compilers then know that its
// iterations are independent.
#include "c_function.h"
#include "elementwise.h"
#include "fast_operators.h"
#include "loop_nest.h"
#include "operators.h"

namespace tileplan {
namespace {

/// Returns the parameters of a function: the first input (unless the output has its address),
/// `others` and the output.
std::vector<CParameter> parameters_of(const WrittenStep& step,
                                      const std::vector<std::string>& others = {}) {
  std::vector<CParameter> parameters;
  if (!step.in_place) parameters.push_back({.name = "in"});
  for (std::size_t i = 0; i < others.size(); ++i)
    parameters.push_back({.name = others[i], .tensor = i + 1});
  parameters.push_back({.name = "out", .is_output = true});
  return parameters;
}

std::string in_of(const WrittenStep& step, const std::string& place) {
  return (step.in_place ? "out[" : "in[") + place + "]";
}

/// Writes loops around statements that compute the variable `y`. After the statements, the loops
/// clamp `y` to the limits of the node and store it in the output.
struct PointLoops {
  const WrittenStep& step;
  LoopNest nest;

  template <class Statements>
  std::string body(const Statements& statements) {
    CWriter out;
    out.open("");
    nest.open(out);
    statements(out);
    write_limits(out, step.node, "y");
    out.line("out[" + nest.at(nest_out) + "] = y;");
    nest.close(out);
    out.close();
    return out.text();
  }

  std::size_t nest_out = 0;  ///< This operand of the loop nest is the output.
};

/// Returns a C expression for a unary operator applied to `x`. write_unary() adds the limits of
/// Relu, Clip, HardSigmoid and HardSwish, and the product of HardSwish.
std::string unary_text(const NodeView& node) {
  const Unary rule(node);
  const std::string& kind = node.kind();
  const std::string a = float_text(rule.alpha()), b = float_text(rule.beta());
  if (kind == "LeakyRelu") return "x < 0 ? " + a + " * x : x";
  if (kind == "Sigmoid") return "1 / (1 + expf(-x))";
  if (kind == "Swish") return "x / (1 + expf(-" + a + " * x))";
  if (kind == "Tanh") return "tanhf(x)";
  if (kind == "Exp") return "expf(x)";
  if (kind == "Neg") return "-x";
  if (kind == "Sqrt") return "sqrtf(x)";
  if (kind == "Abs") return "fabsf(x)";
  if (kind == "Erf") return "erff(x)";
  if (kind == "HardSigmoid" || kind == "HardSwish") return a + " * x + " + b;
  return "x";
}

void write_unary(CWriter& out, const WrittenStep& step, const std::string& place) {
  const NodeView& node = step.node;
  out.line("const float x = " + in_of(step, place) + ";");
  out.line("float y = " + unary_text(node) + ";");
  const bool is_swish = node.kind() == "HardSwish";
  if (is_swish || node.kind() == "HardSigmoid") {
    out.line("y = y < 1 ? y : 1;");
    out.line("y = y > 0 ? y : 0;");
    if (is_swish) out.line("y *= x;");
  }
  if (node.kind() != "Relu" && node.kind() != "Clip") return;
  const Limits limits = clip_limits(node);
  const Limits none;
  const std::string low = float_text(limits.low), high = float_text(limits.high);
  if (limits.low > none.low) out.line("y = y < " + low + " ? " + low + " : y;");
  if (limits.high < none.high) out.line("y = y > " + high + " ? " + high + " : y;");
}

std::string lower_case(std::string kind) {
  for (char& c : kind) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return kind;
}

/// Returns the C operator for a node of kind Add, Sub, Mul or Div.
std::string sign_of(const std::string& kind) {
  if (kind == "Sub") return " - ";
  if (kind == "Mul") return " * ";
  return kind == "Div" ? " / " : " + ";
}

/// Returns loops in which operands 0 and 1 are the inputs and operand 2 is the output.
LoopNest binary_loops(const WrittenStep& step) {
  const NodeView& node = step.node;
  LoopNest nest(3);
  const Extents &first = node.shape(0), &second = node.shape(1), &out = node.out_shape();
  if (first == second) {
    nest.add(elements_of(first), {1, 1, 1});
  } else if (is_per_channel(first, second)) {
    const ChannelBlocks view = channel_blocks(first, step.layout);
    const std::int64_t block = view.plane * view.inner;
    nest.add(view.images * view.blocks, {block, view.inner, block});
    nest.add(view.plane, {view.inner, 0, view.inner});
    nest.add(view.inner, {1, 1, 1});
  } else {
    const Extents a = spread_steps(first, out), b = spread_steps(second, out), to = row_major(out);
    for (std::size_t axis = 0; axis < out.size(); ++axis)
      nest.add(out[axis], {a[axis], b[axis], to[axis]});
  }
  return nest;
}

}  // namespace

CFunction unary_function(const WrittenStep& step) {
  PointLoops loops{step, LoopNest(1)};
  loops.nest.add(elements_of(step.node.out_shape()), {1});
  // HardSigmoid and HardSwish do without the macro KERNEL. Compilers for x86 then use no fused
  // multiply-adds by default, and round alpha * x as the operators of src/network do.
  return {.kind = lower_case(step.node.kind()),
          .parameters = parameters_of(step),
          .body = loops.body([&](CWriter& out) { write_unary(out, step, loops.nest.at(0)); }),
          .contracts = !step.node.kind().starts_with("Hard")};
}

CFunction binary_function(const WrittenStep& step) {
  PointLoops loops{step, binary_loops(step), 2};
  const auto statement = [&](CWriter& out) {
    out.line(std::string(has_limits(step.node) ? "" : "const ") +
             "float y = " + in_of(step, loops.nest.at(0)) + sign_of(step.node.kind()) + "other[" +
             loops.nest.at(1) + "];");
  };
  return {.kind = lower_case(step.node.kind()),
          .parameters = parameters_of(step, {"other"}),
          .body = loops.body(statement)};
}

CFunction affine_function(const WrittenStep& step) {
  const NodeView& node = step.node;
  const std::size_t axis = node.axis(node.integer("axis", 1), node.shape(0).size());
  const ChannelBlocks view = channel_blocks(node.shape(0), step.layout, axis);
  PointLoops loops{step, LoopNest(2)};
  loops.nest.add(view.images, {view.blocks * view.plane * view.inner, 0});
  loops.nest.add(view.blocks, {view.plane * view.inner, view.inner});
  loops.nest.add(view.plane, {view.inner, 0});
  loops.nest.add(view.inner, {1, 1});
  const auto statement = [&](CWriter& out) {
    const std::string channel = loops.nest.at(1);
    out.line(std::string(has_limits(node) ? "" : "const ") + "float y = " +
             in_of(step, loops.nest.at(0)) + " * scale[" + channel + "] + shift[" + channel + "];");
  };
  return {.kind = "affine",
          .parameters = parameters_of(step, {"scale", "shift"}),
          .body = loops.body(statement)};
}

}  // namespace tileplan
