// SPDX-License-Identifier: Apache-2.0
// This file describes each operator that copies elements by lists of indices, so that the same
// loops copy elements in any layout.
#include "moves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace tileplan {
namespace {

Extents first_numbers(std::int64_t count, std::int64_t start = 0) {
  Extents numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), start);
  return numbers;
}

constexpr std::int64_t kMostPadding = std::int64_t{1} << 31;

/// Returns the move that copies a whole tensor of `shape` without changing indices.
Move whole(const Extents& shape) {
  Move move;
  for (std::size_t a = 0; a < shape.size(); ++a)
    move.loops.push_back({a, a, first_numbers(shape[a]), first_numbers(shape[a])});
  return move;
}

Moves transpose_moves(const NodeView& node) {
  const Extents& in = node.shape(0);
  Extents order = first_numbers(static_cast<std::int64_t>(in.size()));
  std::ranges::reverse(order);
  order = node.integers("perm", order);
  node.require(order.size() == in.size() &&
                   std::ranges::is_permutation(order, first_numbers(std::ssize(in))),
               "perm is " + shape_text(order) + "; must name each axis once");
  Moves moves{.list = {{}}, .outputs = {{}}};
  for (std::size_t a = 0; a < in.size(); ++a) {
    const auto from = static_cast<std::size_t>(order[a]);
    moves.list[0].loops.push_back({from, a, first_numbers(in[from]), first_numbers(in[from])});
    moves.outputs[0].push_back(in[from]);
  }
  return moves;
}

/// Holds the parameters of a Slice along one axis. Negative `start` and `end` count from the end.
struct SliceRange {
  std::int64_t start = 0, end = 0, step = 1;
};

Extents sliced(const NodeView& node, std::int64_t extent, SliceRange cut) {
  node.require(cut.step != 0, "the step of a Slice is 0; must not be");
  if (extent == 0) return {};
  const auto counted = [&](std::int64_t at) { return at < 0 ? at + extent : at; };
  const bool forward = cut.step > 0;
  const std::int64_t start = std::clamp<std::int64_t>(counted(cut.start), 0,
                                                      forward ? extent : extent - 1),
                     end = std::clamp<std::int64_t>(counted(cut.end), forward ? 0 : -1, extent);
  // A step larger than the extent selects at most one element. Clamping it changes no result and
  // avoids overflow.
  const std::int64_t step = std::clamp<std::int64_t>(cut.step, -extent - 1, extent + 1);
  Extents indices;
  for (std::int64_t i = start; forward ? i < end : i > end; i += step) indices.push_back(i);
  return indices;
}

Moves slice_moves(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::optional<Extents> starts = node.integers_at(1, "starts"),
                               ends = node.integers_at(2, "ends");
  node.require(starts && ends && starts->size() == ends->size(),
               "starts and ends differ in length; they must have one number per axis");
  const Extents axes = node.integers_at(3, "axes").value_or(first_numbers(std::ssize(*starts))),
                steps = node.integers_at(4, "steps").value_or(Extents(starts->size(), 1));
  node.require(axes.size() == starts->size() && steps.size() == starts->size(),
               "axes or steps differ in length from starts; they must have one number per axis");
  Moves moves{.list = {whole(in)}, .outputs = {in}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t a = node.axis(axes[i], in.size());
    LoopMap& loop = moves.list[0].loops[a];
    loop.in_index = sliced(node, in[a], {(*starts)[i], (*ends)[i], steps[i]});
    loop.out_index = first_numbers(std::ssize(loop.in_index));
    moves.outputs[0][a] = std::ssize(loop.in_index);
  }
  return moves;
}

Extents split_sizes(const NodeView& node, std::int64_t extent) {
  const auto parts = static_cast<std::int64_t>(node.node().outputs.size());
  node.require(parts >= 1, "Split has no result; it must have one");
  std::optional<Extents> sizes = node.integers_at(1, "split");
  if (!sizes) {
    const std::int64_t size = (extent + parts - 1) / parts;
    sizes = Extents(static_cast<std::size_t>(parts), size);
    sizes->back() = extent - size * (parts - 1);
  }
  node.require(std::ssize(*sizes) == parts, "split has " + std::to_string(sizes->size()) +
                                                " numbers; must have " + std::to_string(parts));
  std::int64_t left = extent;
  for (const std::int64_t size : *sizes) {
    node.require(size >= 0 && size <= left, "split has a part of " + std::to_string(size) +
                                                "; the parts must add up to " +
                                                std::to_string(extent));
    left -= size;
  }
  node.require(left == 0, "split leaves " + std::to_string(left) +
                              " elements over; the parts must add up to " + std::to_string(extent));
  return *sizes;
}

Moves split_moves(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), in.size());
  Moves moves;
  std::int64_t start = 0;
  for (const std::int64_t size : split_sizes(node, in[axis])) {
    Move move = whole(in);
    move.output = moves.list.size();
    move.loops[axis].in_index = first_numbers(size, start);
    move.loops[axis].out_index = first_numbers(size);
    moves.list.push_back(std::move(move));
    moves.outputs.push_back(in);
    moves.outputs.back()[axis] = size;
    start += size;
  }
  return moves;
}

Moves concat_moves(const NodeView& node) {
  Moves moves{.outputs = {node.shape(0)}};
  Extents& out = moves.outputs[0];
  const std::size_t axis = node.axis(node.integer("axis", 1), out.size());
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Extents& in = node.shape(i);
    Extents fitting = in;
    if (axis < fitting.size()) fitting[axis] = node.shape(0)[axis];
    node.require(fitting == node.shape(0),
                 "input " + std::to_string(i + 1) + " is " + shape_text(in) + "; must fit " +
                     shape_text(node.shape(0)) + " except along axis " + std::to_string(axis));
    Move move = whole(in);
    move.input = i;
    move.loops[axis].out_index = first_numbers(in[axis], start);
    moves.list.push_back(std::move(move));
    start += in[axis];
  }
  out[axis] = start;
  return moves;
}

Moves pad_moves(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant") throw NotUnderstood{"Pad of mode " + mode};
  if (node.has_input(3)) throw NotUnderstood{"Pad of chosen axes"};
  const Extents pads = node.integers_at(1, "pads").value_or(Extents(2 * in.size(), 0));
  node.require(pads.size() == 2 * in.size(), "pads has " + std::to_string(pads.size()) +
                                                 " numbers; must have " +
                                                 std::to_string(2 * in.size()));
  Moves moves{.list = {whole(in)}, .outputs = {in}, .fill = node.real("value", 0), .fills = true};
  if (const auto value = node.reals_at(2); value && !value->empty()) moves.fill = value->front();
  for (std::size_t a = 0; a < in.size(); ++a) {
    const std::int64_t before = pads[a], after = pads[in.size() + a];
    const auto is_small = [](std::int64_t pad) {
      return pad > -kMostPadding && pad < kMostPadding;
    };
    node.require(is_small(before) && is_small(after) && in[a] + before + after >= 0,
                 "pads are " + std::to_string(before) + " and " + std::to_string(after) +
                     " on axis " + std::to_string(a) + "; must leave elements below 2^31");
    const std::int64_t first = std::max<std::int64_t>(0, -before),
                       last = std::min(in[a], in[a] + after);
    LoopMap& loop = moves.list[0].loops[a];
    loop.in_index = first_numbers(std::max<std::int64_t>(0, last - first), first);
    loop.out_index = first_numbers(std::ssize(loop.in_index), first + before);
    moves.outputs[0][a] = in[a] + before + after;
  }
  return moves;
}

constexpr std::array kCoordinateRules{"half_pixel", "pytorch_half_pixel", "align_corners",
                                      "asymmetric", "tf_half_pixel_for_nn"};

/// Holds the rules by which Resize maps indices of the output to indices of the input.
struct ResizeRules {
  std::string coordinate, nearest;
  std::int64_t in = 1, out = 1;
  double scale = 1;
};

std::int64_t nearest_index(const ResizeRules& rules, std::int64_t at) {
  const auto x = static_cast<double>(at);
  double from = x / rules.scale;
  if (rules.coordinate == "half_pixel" || rules.coordinate == "pytorch_half_pixel")
    from = (x + 0.5) / rules.scale - 0.5;
  if (rules.coordinate == "pytorch_half_pixel" && rules.out == 1) from = 0;
  if (rules.coordinate == "tf_half_pixel_for_nn") from = (x + 0.5) / rules.scale;
  if (rules.coordinate == "align_corners")
    from = rules.out == 1
               ? 0
               : x * static_cast<double>(rules.in - 1) / static_cast<double>(rules.out - 1);
  double rounded = std::floor(from);
  if (rules.nearest == "ceil") rounded = std::ceil(from);
  if (rules.nearest == "round_prefer_floor") rounded = std::ceil(from - 0.5);
  if (rules.nearest == "round_prefer_ceil") rounded = std::floor(from + 0.5);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(rounded), 0, rules.in - 1);
}

ResizeRules resize_rules(const NodeView& node) {
  const bool old = node.kind() == "Upsample" || node.integer("opset", 11) < 11;
  ResizeRules rules{
      .coordinate = node.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
      .nearest = node.text("nearest_mode", old ? "floor" : "round_prefer_floor")};
  const std::string mode = node.text("mode", "nearest");
  if (mode != "nearest") throw NotUnderstood{node.kind() + " of mode " + mode};
  if (std::ranges::find(kCoordinateRules, rules.coordinate) == kCoordinateRules.end())
    throw NotUnderstood{node.kind() + " with coordinates of the rule " + rules.coordinate};
  if (node.has("axes") || node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    throw NotUnderstood{node.kind() + " that has axes or a policy"};
  return rules;
}

/// Holds the scales and the extents of the output that a Resize or Upsample has. A missing list is
/// empty. The extents are ignored when there is a scale for each axis.
struct ResizeSizes {
  std::vector<double> scales = {};
  Extents extents = {};
};

ResizeSizes resize_sizes(const NodeView& node, std::size_t rank) {
  const bool old = node.kind() == "Upsample" || node.integer("opset", 11) < 11;
  ResizeSizes sizes{.scales = node.reals_at(old ? 1 : 2).value_or(std::vector<double>{})};
  if (!old && node.has_input(3)) sizes.extents = node.integers_at(3, "").value_or(Extents{});
  if (sizes.scales.size() != rank && sizes.extents.size() != rank)
    throw NotUnderstood{node.kind() + " with neither a scale nor a size per axis"};
  return sizes;
}

Moves resize_moves(const NodeView& node) {
  const Extents& in = node.shape(0);
  ResizeRules rules = resize_rules(node);
  const ResizeSizes sizes = resize_sizes(node, in.size());
  Moves moves{.list = {whole(in)}, .outputs = {in}};
  for (std::size_t a = 0; a < in.size(); ++a) {
    if (in[a] == 0) throw NotUnderstood{node.kind() + " of a tensor without elements"};
    const bool scaled = sizes.scales.size() == in.size();
    double out = scaled ? std::floor(static_cast<double>(in[a]) * sizes.scales[a])
                        : static_cast<double>(sizes.extents[a]);
    node.require(out >= 1 && out <= static_cast<double>(kMostIndices),
                 "axis " + std::to_string(a) + " is resized to " + std::to_string(out) +
                     "; must be from 1 to 2^24");
    rules.in = in[a];
    rules.out = static_cast<std::int64_t>(out);
    rules.scale = scaled ? sizes.scales[a] : out / static_cast<double>(in[a]);
    moves.outputs[0][a] = rules.out;
    count_elements("the result of node " + node.node().name, moves.outputs[0]);
    LoopMap& loop = moves.list[0].loops[a];
    loop.out_index = first_numbers(rules.out);
    loop.in_index = loop.out_index;
    for (std::int64_t& index : loop.in_index) index = nearest_index(rules, index);
  }
  return moves;
}

/// Returns the copies of a Gather along one axis, whose indices are a constant list or a constant
/// scalar.
Moves gather_moves(const NodeView& node) {
  const Extents& in = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), in.size());
  Extents indices = node.integers_at(1, "").value_or(Extents{});
  for (std::int64_t& index : indices) {
    node.require(index >= -in[axis] && index < in[axis],
                 "index " + std::to_string(index) + " of an axis with " + std::to_string(in[axis]) +
                     " elements; must be inside");
    if (index < 0) index += in[axis];
  }
  // A scalar index counts as a list of one index here. move_types() removes its axis from the shape
  // of the result.
  Moves moves{.list = {whole(in)}, .outputs = {in}};
  LoopMap& loop = moves.list[0].loops[axis];
  loop.out_index = first_numbers(std::ssize(indices));
  loop.in_index = std::move(indices);
  Extents& out = moves.outputs[0];
  const Extents& shape = node.shape(1);
  if (shape.size() > 1) throw NotUnderstood{"a Gather whose indices are " + shape_text(shape)};
  out[axis] = std::ssize(loop.in_index);
  return moves;
}

}  // namespace

bool is_move(const std::string& kind) {
  return kind == "Transpose" || kind == "Slice" || kind == "Split" || kind == "Concat" ||
         kind == "Pad" || kind == "Resize" || kind == "Upsample" || kind == "Gather";
}

Moves moves_of(const NodeView& node) {
  for (std::size_t i = 0; i < node.inputs(); ++i)
    if (node.has_input(i))
      for (const std::int64_t extent : node.shape(i))
        if (extent > kMostIndices) throw NotUnderstood{"an axis has more than 2^24 elements"};
  if (node.kind() == "Transpose") return transpose_moves(node);
  if (node.kind() == "Slice") return slice_moves(node);
  if (node.kind() == "Split") return split_moves(node);
  if (node.kind() == "Concat") return concat_moves(node);
  if (node.kind() == "Pad") return pad_moves(node);
  if (node.kind() == "Gather") return gather_moves(node);
  return resize_moves(node);
}

OffsetLoops row_major_loops(const Move& move, const Extents& in, const Extents& out) {
  OffsetLoops loops;
  const Extents from = row_major(in), to = row_major(out);
  for (const LoopMap& map : move.loops) {
    OffsetLoops::Loop loop{.from = map.in_index, .to = map.out_index};
    for (std::int64_t& offset : loop.from) offset *= from[map.in_axis];
    for (std::int64_t& offset : loop.to) offset *= to[map.out_axis];
    loops.loops.push_back(std::move(loop));
  }
  return loops;
}

namespace {

std::int64_t step_of(const Extents& offsets) {
  return offsets.size() > 1 ? std::abs(offsets[1] - offsets[0])
                            : std::numeric_limits<std::int64_t>::max();
}

bool is_contiguous(const Extents& offsets) {
  return std::ranges::adjacent_find(
             offsets, [](std::int64_t a, std::int64_t b) { return b != a + 1; }) == offsets.end();
}

/// Removes loops of one iteration, and adds their offsets to the outermost loop that remains. One
/// loop with one iteration remains if all loops have one.
void drop_single_loops(OffsetLoops& loops) {
  std::int64_t from = 0, to = 0;
  std::erase_if(loops.loops, [&](const OffsetLoops::Loop& loop) {
    if (loop.from.size() != 1) return false;
    from += loop.from[0];
    to += loop.to[0];
    return true;
  });
  if (loops.loops.empty()) loops.loops.push_back({.from = {0}, .to = {0}});
  for (std::int64_t& offset : loops.loops.front().from) offset += from;
  for (std::int64_t& offset : loops.loops.front().to) offset += to;
}

}  // namespace

void order_loops(OffsetLoops& loops) {
  drop_single_loops(loops);
  std::ranges::stable_sort(loops.loops, std::greater<>(), [](const OffsetLoops::Loop& loop) {
    return std::min(step_of(loop.to), step_of(loop.from));
  });
  const auto fastest = std::ranges::min_element(
      loops.loops, {}, [](const OffsetLoops::Loop& loop) { return step_of(loop.to); });
  std::rotate(fastest, fastest + 1, loops.loops.end());
  loops.contiguous = is_contiguous(loops.loops.back().from) && is_contiguous(loops.loops.back().to);
}

namespace {

template <class Number>
void run_from(const OffsetLoops& loops, std::size_t depth, const Number* from, Number* to) {
  const OffsetLoops::Loop& loop = loops.loops[depth];
  if (depth + 1 < loops.loops.size()) {
    for (std::size_t i = 0; i < loop.from.size(); ++i)
      run_from(loops, depth + 1, from + loop.from[i], to + loop.to[i]);
    return;
  }
  if (loops.contiguous && !loop.from.empty()) {
    std::copy_n(from + loop.from[0], loop.from.size(), to + loop.to[0]);
    return;
  }
  for (std::size_t i = 0; i < loop.from.size(); ++i) to[loop.to[i]] = from[loop.from[i]];
}

}  // namespace

template <class Number>
void run_loops(const OffsetLoops& loops, const Number* from, Number* to) {
  if (loops.loops.empty()) {
    *to = *from;
    return;
  }
  run_from(loops, 0, from, to);
}

template void run_loops(const OffsetLoops&, const float*, float*);
template void run_loops(const OffsetLoops&, const double*, double*);
template void run_loops(const OffsetLoops&, const std::int64_t*, std::int64_t*);
template void run_loops(const OffsetLoops&, const std::uint8_t*, std::uint8_t*);
template void run_loops(const OffsetLoops&, const std::int8_t*, std::int8_t*);
template void run_loops(const OffsetLoops&, const std::int32_t*, std::int32_t*);

}  // namespace tileplan
