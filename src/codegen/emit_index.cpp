// SPDX-License-Identifier: Apache-2.0
// Loops and offsets of emitted C.
#include "emit_index.h"

#include "packed_input.h"

namespace tileplan {

namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

std::int64_t EmitContext::lane_stride(Operand operand) const {
  const TensorAccess& access = tensor(operand);
  const TensorLayout& layout = operand == Operand::input ? input : output;
  for (std::size_t a = 0; a < access.data.size(); ++a)
    for (const Term& term : access.data[a].terms)
      if (term.dim == nest.vectorised) return term.coefficient * layout.axes[a].stride;
  return 1;
}

bool EmitContext::has_tail(Operand operand) const {
  if (!has_vectors(operand) || !is_ragged()) return false;
  // A blocked layout has room for the whole last block, unless another group begins there.
  bool has_room = false;
  const TensorAccess& access = tensor(operand);
  const TensorLayout& layout = operand == Operand::input ? input : output;
  for (std::size_t a = 0; a < access.data.size(); ++a)
    for (const Term& term : access.data[a].terms)
      if (term.dim == nest.vectorised && layout.axes[a].block != 0) has_room = true;
  for (int d = 0; d < computation.dims(); ++d) {
    const Role part = role(computation, Dim{d});
    if (Dim{d} != nest.vectorised && (part == Role::batch || part == Role::channel) &&
        computation.extent(Dim{d}) > 1)
      has_room = false;
  }
  return !has_room;
}

Indices::Indices(int dims) {
  const std::string zero(1, '0');  // assigning "0" makes GCC 12 warn of an overlap that is none
  for (int d = 0; d < dims; ++d) names[Dim{d}] = zero;
}

void open_loop(CWriter& out, const Computation& computation, Indices& at, const Repeat& loop) {
  const std::string from = at.names[loop.dim];
  // The underscore keeps loop variables apart from all other names.
  const std::string variable = computation.name(loop.dim) + "_" + number(at.count[loop.dim]++);
  LinearText end(loop.count * loop.step);
  end.add(1, from);
  const std::string advance =
      loop.step == 1 ? std::string("++").append(variable) : variable + " += " + number(loop.step);
  out.open("for (int64_t " + variable + " = " + from + "; " + variable + " < " + end.text() + "; " +
           advance + ")");
  at.names[loop.dim] = variable;
}

LinearText index_text(const DataDim& data, const Indices& at, const Tile& shift) {
  LinearText index(data.offset);
  for (const Term& term : data.terms) {
    index.add(term.coefficient, at.names[term.dim]);
    index.add(term.coefficient * shift[term.dim]);
  }
  return index;
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
  std::vector<LinearText> indices;
  indices.reserve(context.tensor(operand).data.size());
  for (const DataDim& data : context.tensor(operand).data)
    indices.push_back(index_text(data, at, shift));
  return offset_of(operand == Operand::input     ? context.input
                   : operand == Operand::weights ? context.weights
                                                 : context.output,
                   indices);
}

LinearText weights_text(const EmitContext& context, const Indices& at, std::int64_t steps) {
  const Computation& computation = context.computation;
  const Dim vectorised = context.nest.vectorised;
  LinearText filter;
  std::int64_t stride = steps;
  filter.add(stride, at.names[vectorised]);
  stride *= covered_extents(computation, vectorised, context.lanes)[vectorised];
  for (int d = computation.dims(); d-- > 0;) {
    const Role part = role(computation, Dim{d});
    if (Dim{d} == vectorised || (part != Role::batch && part != Role::channel)) continue;
    filter.add(stride, at.names[Dim{d}]);
    stride *= computation.extent(Dim{d});
  }
  return filter;
}

void copy_box(CWriter& out, const EmitContext& context, const Indices& at, const Tile& box) {
  const std::vector<DataDim>& data = context.tensor(Operand::input).data;
  std::vector<LinearText> from;
  from.reserve(data.size());
  for (const DataDim& one : data) from.push_back(index_text(one, at, {}));
  LinearText to;
  std::string inside;
  std::size_t opened = 0;
  for (const BoxAxis& axis : box_axes(context.computation, *context.box, box)) {
    if (axis.count > 1) {
      const std::string i = std::string("i").append(std::to_string(opened++));
      out.open(std::string("for (int64_t ")
                   .append(i)
                   .append(" = 0; ")
                   .append(i)
                   .append(" < ")
                   .append(std::to_string(axis.count))
                   .append("; ++")
                   .append(i)
                   .append(")"));
      from[axis.data].add(axis.gap, i);
      to.add(axis.pitch, i);
    }
    if (!data[axis.data].clipped) continue;
    inside.append(inside.empty() ? "if (INSIDE(" : " && INSIDE(").append(from[axis.data].text());
    inside.append(", ").append(std::to_string(data[axis.data].extent)).append(")");
  }
  if (!inside.empty()) inside.append(") ");
  out.line(inside.append("box[")
               .append(to.text())
               .append("] = input[")
               .append(offset_of(context.input, from))
               .append("];"));
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
