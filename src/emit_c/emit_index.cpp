// SPDX-License-Identifier: Apache-2.0
// Offsets are sums of multiples of loop variables. The offset along a blocked axis also needs / and
// %.
#include "emit_index.h"

#include <numeric>

#include "integers.h"
#include "packed_box.h"

namespace tileplan {
namespace {

/// Splits the innermost of `loops` into two nested loops, of which the inner one makes `inner`
/// trips. Leaves the loop as it is if one of the two would make only one trip. Requires: `inner`
/// divides the number of trips of the loop.
void split(std::vector<Repeat>& loops, std::int64_t inner) {
  Repeat& loop = loops.back();
  if (inner == 1 || inner == loop.count) return;
  const Repeat innermost{loop.dim, inner, loop.step};
  loop.count /= inner;
  loop.step *= inner;
  loops.push_back(innermost);
}

/// Returns the size of the input's blocks along `dim`, or 0 when the input has no such blocks.
std::int64_t block_along(const EmitContext& context, Dim dim) {
  const TensorAccess& input = context.tensor(Operand::input);
  for (std::size_t a = 0; a < input.data.size(); ++a)
    if (is_present(input.data[a], dim))
      return context.place(Operand::input).in_calls().axes[a].block;
  return 0;
}

/// Returns a variable for `dim`, "NAME_N", that no enclosing loop uses.
std::string fresh_variable(const Computation& computation, Indices& at, Dim dim) {
  return computation.name(dim) + "_" + number(at.count[dim]++);
}

/// Returns true when the box of `operand` may reach beyond the tensor along `data`.
bool may_leave(const EmitContext& context, Operand operand, const DataDim& data) {
  const Dim vectorised = context.program.vectorised;
  if (operand == Operand::input) return is_guarded(context.computation, data, vectorised);
  // The last vector of outputs may reach beyond the tensor.
  return context.is_ragged() && is_present(data, vectorised);
}

}  // namespace

void open_for(CWriter& out, const std::string& variable, const std::string& first,
              const std::string& end, std::int64_t step) {
  const std::string advance =
      step == 1 ? std::string("++").append(variable) : variable + " += " + number(step);
  out.open("for (int64_t " + variable + " = " + first + "; " + variable + " < " + end + "; " +
           advance + ")");
}

std::int64_t EmitContext::lane_stride(Operand operand) const {
  const std::vector<DataDim>& data = tensor(operand).data;
  for (std::size_t a = 0; a < data.size(); ++a)
    if (is_present(data[a], program.vectorised))
      return place(operand).in_calls().axes[a].offset(coefficient_of(data[a], program.vectorised));
  return 1;
}

std::int64_t EmitContext::weights_step(const Repeat& loop) const {
  Tile next;
  next[loop.dim] = loop.step;
  return offset_distance(tensor(Operand::weights), place(Operand::weights).stored, next);
}

std::string EmitContext::add_products(const std::string& sum, const std::string& input,
                                      const std::string& weights) const {
  if (!has_strips()) return sum + " += " + input + " * " + weights + ";";
  // If only one factor is signed, ADD_PRODUCTS takes the unsigned factor first.
  const LoopTypes& types = stages->types;
  const bool one_sign = types.input == types.weights && !types.flips_input;
  const bool swapped = types.weights == ElementType::u8 && !one_sign;
  return "ADD_PRODUCTS(" + sum + ", " +
         (swapped ? weights + ", " + input : input + ", " + weights) + ");";
}

Indices::Indices(int dims) {
  // Assigning the literal "0" would cause a false warning of GCC 12 about overlapping memory.
  const std::string zero(1, '0');
  for (int d = 0; d < dims; ++d) names[Dim{d}] = zero;
}

void open_loop(CWriter& out, const Computation& computation, Indices& at, const Repeat& loop) {
  const std::string variable = fresh_variable(computation, at, loop.dim);
  LinearText end(loop.count * loop.step);
  end.add(1, at.names[loop.dim]);
  open_for(out, variable, at.names[loop.dim], end.text(), loop.step);
  at.names[loop.dim] = variable;
}

void open_loop(CWriter& out, const Computation& computation, Indices& at, const CountedLoop& loop) {
  LinearText start(loop.start);
  start.add(1, at.names[loop.dim]);
  at.names[loop.dim] = start.text();
  open_loop(out, computation, at, Repeat{loop.dim, loop.trips, loop.step});
}

void declare_block(CWriter& out, const Computation& computation, Indices& at, Dim dim,
                   const LinearText& start) {
  const std::string variable = fresh_variable(computation, at, dim);
  out.line("const int64_t " + variable + " = " + start.text() + ";");
  at.names[dim] = variable;
}

std::optional<std::int64_t> input_step(const EmitContext& context, const Repeat& loop) {
  const TensorAccess& input = context.tensor(Operand::input);
  std::int64_t step = 0;
  for (std::size_t a = 0; a < input.data.size(); ++a) {
    const DataDim& data = input.data[a];
    const AxisLayout& axis = context.place(Operand::input).in_calls().axes[a];
    for (const Term& term : data.terms) {
      if (term.dim != loop.dim) continue;
      const std::int64_t apart = term.coefficient * loop.step;
      const bool starts_blocks = data.terms.size() == 1 && data.offset == 0;
      if (axis.block != 0 &&
          !(starts_blocks && axis.is_linear(apart, apart * loop.count, data.extent)))
        return std::nullopt;
      step += axis.offset(apart);
    }
  }
  return step;
}

std::vector<Repeat> split_innermost(const EmitContext& context, std::vector<Repeat> loops,
                                    std::int64_t longest) {
  if (loops.empty()) return loops;
  if (!input_step(context, loops.back()))
    split(loops, std::gcd(loops.back().count, block_along(context, loops.back().dim)));
  std::int64_t inner = 1;
  for (const std::int64_t count : divisors(loops.back().count))
    if (longest == 0 || count <= longest) inner = count;
  split(loops, inner);
  return loops;
}

LinearText index_text(const DataDim& data, const Indices& at, const Tile& shift) {
  LinearText index(data.offset);
  for (const Term& term : data.terms) {
    index.add(term.coefficient, at.names[term.dim]);
    index.add(term.coefficient * shift[term.dim]);
  }
  return index;
}

std::vector<LinearText> index_texts(const TensorAccess& tensor, const Indices& at,
                                    const Tile& shift) {
  std::vector<LinearText> indices;
  for (const DataDim& data : tensor.data) indices.push_back(index_text(data, at, shift));
  return indices;
}

std::string offset_of(const TensorLayout& layout, const std::vector<LinearText>& indices) {
  LinearText linear;
  std::string blocks;
  for (std::size_t a = 0; a < indices.size(); ++a) {
    const AxisLayout& axis = layout.axes[a];
    if (axis.block == 0) {
      linear.add(axis.stride, indices[a]);
    } else if (!indices[a].is_constant() || indices[a].text() != "0") {
      const std::string i = std::string(1, '(').append(indices[a].text()).append(1, ')');
      const std::string block = number(axis.block);
      blocks.append(" + ").append(i).append(" / ").append(block).append(" * ");
      blocks.append(number(axis.outer));
      if (axis.stride == 0) continue;
      blocks.append(" + ").append(i).append(" % ").append(block);
      if (axis.stride != 1) blocks += " * " + number(axis.stride);
    }
  }
  return linear.text() + blocks;
}

std::string offset_text(const EmitContext& context, Operand operand, const Indices& at,
                        const Tile& shift) {
  return offset_of(context.place(operand).stored, index_texts(context.tensor(operand), at, shift));
}

LinearText weights_text(const WeightsOrder& order, const Indices& at, const Indices& start) {
  const auto from_start = [&](Dim dim) {
    LinearText index;
    index.add(1, at.names[dim]);
    index.add(-1, start.names[dim]);
    return index;
  };
  LinearText offset;
  const LinearText channel = from_start(order.blocked);
  if (order.groups() == 1) {
    offset.add(order.distance(order.blocked, 1), channel);
  } else if (!channel.is_constant()) {
    const std::string group = number(order.group), i = in_parentheses(channel.text());
    offset.add(order.distance(order.blocked, order.group), in_parentheses(i + " / " + group));
    if (order.group > 1)
      offset.add(order.distance(order.blocked, 1), in_parentheses(i + " % " + group));
  }
  for (auto outer = order.outer.rbegin(); outer != order.outer.rend(); ++outer)
    offset.add(order.distance(outer->dim, 1), from_start(outer->dim));
  return offset;
}

void emit_box_copy(CWriter& out, const EmitContext& context, const Indices& at,
                   const BoxCopyText& copy) {
  const bool is_input = copy.operand == Operand::input;
  const OperandPlace& place = context.place(copy.operand);
  const TensorAccess& tensor = context.tensor(copy.operand);
  std::vector<LinearText> from = index_texts(tensor, at, {}), to(from.size());
  std::string inside;
  std::int64_t opened = 0;
  for (const BoxAxis& axis : box_axes(tensor, *place.box, copy.box)) {
    if (axis.count > 1) {
      const std::string i = std::string(1, 'i').append(number(opened++));
      open_for(out, i, "0", number(axis.count));
      from[axis.data].add(axis.gap, i);
      to[axis.data].add(axis.gap, i);
    }
    const DataDim& along = tensor.data[axis.data];
    if (may_leave(context, copy.operand, along))
      add_condition(inside, inside_text(from[axis.data], along.extent));
  }
  const std::string boxed = (is_input ? "box[" : "sums[") + offset_of(*place.box, to) + "]";
  const std::string stored =
      (is_input ? "input[" : "output[") + offset_of(place.stored, from) + "]";
  const std::string assignment = copy.back ? stored + " = " + boxed : boxed + " = " + stored;
  if (inside.empty())
    out.line(assignment + ";");
  else if (is_input && context.has_pixel_vectors())  // The box gets zeros outside the tensor.
    out.line(boxed + " = " + inside + " ? " + stored + " : 0;");
  else
    out.line("if (" + inside + ") " + assignment + ";");
  for (; opened > 0; --opened) out.close();
}

bool emit_clear(CWriter& out, const BlockPadding& padding) {
  if (padding.lanes == 0) return false;
  out.line("/* The last block is shared by groups that do not fill it. */");
  out.line("for (int64_t n = 0; n < " + number(padding.images) + "; ++n)");
  out.line("  for (int64_t p = 0; p < " + number(padding.pixels) + "; ++p)");
  out.line("    for (int64_t i = 0; i < " + number(padding.lanes) + "; ++i)");
  out.line("      output[n * " + number(padding.image_stride) + " + " + number(padding.first) +
           " + p * " + number(padding.block) + " + i] = 0;");
  return true;
}

}  // namespace tileplan
