// SPDX-License-Identifier: Apache-2.0
// This file writes copies between layouts, and the copies of operators that move elements, such as
// Concat and Resize.
#include "c_function.h"
#include "fast_operators.h"
#include "loop_nest.h"
#include "moves.h"

namespace tileplan {
namespace {

/// Returns the function that copies from operand 0 to operand 1 in the loops of `nest`.
CFunction copy_function(const std::string& kind, LoopNest nest) {
  nest.order_by(1);
  CWriter out;
  out.open("");
  nest.open(out);
  out.line("out[" + nest.at(1) + "] = in[" + nest.at(0) + "];");
  nest.close(out);
  out.close();
  return {.kind = kind,
          .parameters = {{.name = "in", .start = nest.start(0)},
                         {.name = "out", .is_output = true, .start = nest.start(1)}},
          .body = out.text(),
          .is_copy = true};
}

Extents picked(const Extents& offsets, const Extents& indices) {
  Extents list;
  for (const std::int64_t i : indices) list.push_back(offsets[static_cast<std::size_t>(i)]);
  return list;
}

CFunction fill_function(std::int64_t count, float fill) {
  CWriter out;
  out.open("");
  out.line("for (int64_t i = 0; i < " + std::to_string(count) +
           "; ++i) out[i] = " + float_text(fill) + ";");
  out.close();
  return {.kind = "fill", .parameters = {{.name = "out", .is_output = true}}, .body = out.text()};
}

std::string kind_of(const NodeView& node) {
  std::string kind = node.kind();
  kind[0] = static_cast<char>(kind[0] - 'A' + 'a');
  return kind;
}

}  // namespace

std::vector<CFunction> move_functions(const WrittenStep& step) {
  const NodeView& node = step.node;
  const Moves moves = moves_of(node);
  std::vector<CFunction> functions;
  if (moves.fills)
    functions.push_back(
        fill_function(elements_of(moves.outputs[0]), static_cast<float>(moves.fill)));
  for (const Move& move : moves.list) {
    LoopNest nest(2);
    bool is_empty = false;
    for (const LoopMap& map : move.loops) {
      is_empty = is_empty || map.in_index.empty();
      if (is_empty) break;
      nest.add_offsets(
          {picked(axis_offsets(node.shape(move.input), step.layout, map.in_axis), map.in_index),
           picked(axis_offsets(moves.outputs[move.output], step.layout, map.out_axis),
                  map.out_index)});
    }
    if (is_empty || node.node().outputs[move.output] < 0) continue;
    functions.push_back(copy_function(kind_of(node), std::move(nest)));
    functions.back().parameters[0].tensor = move.input;
    functions.back().parameters[1].tensor = move.output;
  }
  return functions;
}

CFunction conversion_function(const Extents& shape, Layout from, Layout to) {
  LoopNest nest(2);
  if (from == to || shape.size() < 3)
    nest.add(elements_of(shape), {1, 1});
  else
    for (std::size_t a = 0; a < shape.size(); ++a)
      nest.add_offsets({axis_offsets(shape, from, a), axis_offsets(shape, to, a)});
  return copy_function(from == to ? "copy" : "convert", std::move(nest));
}

}  // namespace tileplan
