// SPDX-License-Identifier: Apache-2.0
// This file holds operations on single elements, softmax and copies, and finds the operation of
// each node. Each operation computes its tables once, when the network is compiled.
#include "fast_operators.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "elementwise.h"
#include "moves.h"
#include "operators.h"
#include "quantised.h"
#include "softmax_lists.h"
#include "transpose.h"
#include "vectorised.h"

namespace tileplan {
namespace {

std::int64_t block_of(Layout layout) {
  constexpr std::int64_t kWide = 16, kNarrow = 8;
  return layout == Layout::nChw16c ? kWide : kNarrow;
}

Operation unary_operation(const NodeView& node) {
  const std::int64_t count = elements_of(node.out_shape());
  return [rule = Unary(node), count](const StepTensors& t) {
    const auto [first, last] = t.share(count);
    rule.run(static_cast<std::size_t>(last - first), t.in[0] + first, t.out[0] + first);
  };
}

/// Computes x * scale + shift for one block of channels, and clamps the results.
struct AffineLoops {
  ChannelBlocks view = {};
  Limits limits = {};

  TILEPLAN_VECTORISED inline void run_plane(const StepTensors& t, std::int64_t block,
                                            TaskRange share) const {
    const std::int64_t c = block % view.blocks, start = block * view.plane;
    const float scale = t.in[1][c], shift = t.in[2][c];
    for (std::int64_t p = start + share.first; p < start + share.last; ++p)
      t.out[0][p] = limits.clamp(t.in[0][p] * scale + shift);
  }

  TILEPLAN_VECTORISED inline void run_pixels(const StepTensors& t, std::int64_t block,
                                             TaskRange share) const {
    const std::int64_t c = block % view.blocks * view.inner;
    const float *scale = t.in[1] + c, *shift = t.in[2] + c;
    const std::int64_t start = block * view.plane;
    for (std::int64_t p = start + share.first; p < start + share.last; ++p)
      for (std::int64_t i = 0; i < view.inner; ++i)
        t.out[0][p * view.inner + i] =
            limits.clamp(t.in[0][p * view.inner + i] * scale[i] + shift[i]);
  }
};

Operation affine_operation(const NodeView& node, Layout layout) {
  const std::size_t axis = node.axis(node.integer("axis", 1), node.shape(0).size());
  const AffineLoops loops{.view = channel_blocks(node.shape(0), layout, axis),
                          .limits = limits_of(node)};
  return vectorised([loops](const StepTensors& t) TILEPLAN_VECTORISED {
    const TaskRange share = t.share(loops.view.plane);
    for (std::int64_t block = 0; block < loops.view.images * loops.view.blocks; ++block)
      if (loops.view.inner == 1)
        loops.run_plane(t, block, share);
      else
        loops.run_pixels(t, block, share);
  });
}

/// Calls `body` with a function object that computes the binary operator `kind`.
template <class Body>
Operation with_binary(const std::string& kind, const Body& body) {
  if (kind == "Sub") return body([](float a, float b) TILEPLAN_VECTORISED { return a - b; });
  if (kind == "Mul") return body([](float a, float b) TILEPLAN_VECTORISED { return a * b; });
  if (kind == "Div") return body([](float a, float b) TILEPLAN_VECTORISED { return a / b; });
  return body([](float a, float b) TILEPLAN_VECTORISED { return a + b; });
}

/// Describes broadcasting by numpy's rules: how far each input moves along each axis of the output.
/// A step of 0 repeats an element.
struct Spread {
  Extents extents = {}, first = {}, second = {};
};

/// Points to the elements of both inputs at the beginning of a loop.
struct SpreadPlace {
  const float *first = nullptr, *second = nullptr;
};

/// Computes the outputs of all loops from `axis` on. Returns the address after the last output.
template <class Combine>
float* run_spread(const Spread& spread, std::size_t axis, SpreadPlace at, float* to,
                  const Combine& combine) {
  for (std::int64_t i = 0; i < spread.extents[axis]; ++i) {
    if (axis + 1 < spread.extents.size())
      to = run_spread(spread, axis + 1, at, to, combine);
    else
      *to++ = combine(*at.first, *at.second);
    at.first += spread.first[axis];
    at.second += spread.second[axis];
  }
  return to;
}

Operation spread_operation(const NodeView& node) {
  Spread spread{.extents = node.out_shape()};
  spread.first = spread_steps(node.shape(0), spread.extents);
  spread.second = spread_steps(node.shape(1), spread.extents);
  if (spread.extents.empty()) spread = {.extents = {1}, .first = {0}, .second = {0}};
  return with_binary(node.kind(), [&, limits = limits_of(node)](auto rule) -> Operation {
    const auto combine = [=](float a, float b) { return limits.clamp(rule(a, b)); };
    return [spread, combine](const StepTensors& t) {
      run_spread(spread, 0, {t.in[0], t.in[1]}, t.out[0], combine);
    };
  });
}

Operation equal_operation(const NodeView& node) {
  const std::int64_t count = elements_of(node.out_shape());
  return with_binary(node.kind(), [&, limits = limits_of(node)](auto rule) -> Operation {
    return vectorised([=](const StepTensors& t) TILEPLAN_VECTORISED {
      const float *a = t.in[0], *b = t.in[1];
      float* to = t.out[0];
      const TaskRange share = t.share(count);
      for (std::int64_t i = share.first; i < share.last; ++i)
        to[i] = limits.clamp(rule(a[i], b[i]));
    });
  });
}

/// Combines a tensor with one number per image and channel, which occurs in squeeze-and-excite
/// blocks.
Operation per_channel_operation(const NodeView& node, Layout layout) {
  const ChannelBlocks view = channel_blocks(node.shape(0), layout);
  return with_binary(node.kind(), [&, limits = limits_of(node)](auto rule) -> Operation {
    return vectorised([=](const StepTensors& t) TILEPLAN_VECTORISED {
      const TaskRange share = t.share(view.plane);
      for (std::int64_t block = 0; block < view.images * view.blocks; ++block)
        for (std::int64_t p = share.first; p < share.last; ++p) {
          const std::int64_t pixel = (block * view.plane + p) * view.inner;
          const float *a = t.in[0] + pixel, *b = t.in[1] + block * view.inner;
          float* to = t.out[0] + pixel;
          for (std::int64_t i = 0; i < view.inner; ++i) to[i] = limits.clamp(rule(a[i], b[i]));
        }
    });
  });
}

/// Returns true when each output of a binary operator has the same position as the element of the
/// first input that it depends on: the second input has the same shape, or one element per image
/// and channel.
bool keeps_places(const NodeView& node) {
  return node.shape(0) == node.shape(1) || is_per_channel(node.shape(0), node.shape(1));
}

Operation binary_operation(const NodeView& node, Layout layout) {
  if (node.shape(0) == node.shape(1)) return equal_operation(node);
  if (is_per_channel(node.shape(0), node.shape(1))) return per_channel_operation(node, layout);
  return spread_operation(node);
}

/// Computes the softmax of `count` numbers that are `step` elements apart.
void run_softmax(const float* from, float* to, std::int64_t count, std::int64_t step) {
  float largest = from[0], sum = 0;
  for (std::int64_t j = 1; j < count; ++j) largest = std::max(largest, from[j * step]);
  for (std::int64_t j = 0; j < count; ++j) {
    to[j * step] = std::exp(from[j * step] - largest);
    sum += to[j * step];
  }
  for (std::int64_t j = 0; j < count; ++j) to[j * step] /= sum;
}

Operation softmax_operation(const NodeView& node) {
  return [all = softmax_lists(node)](const StepTensors& t) {
    for (std::int64_t list = 0; list < all.lists; ++list) {
      const std::int64_t first = all.first(list);
      run_softmax(t.in[0] + first, t.out[0] + first, all.count, all.step);
    }
  };
}

/// Returns the tables of offsets for a copy between layouts.
OffsetLoops loops_between(const Move& move, const Extents& in, Layout from, const Extents& out,
                          Layout to) {
  OffsetLoops loops;
  for (const LoopMap& map : move.loops) {
    const Extents reads = axis_offsets(in, from, map.in_axis),
                  writes = axis_offsets(out, to, map.out_axis);
    OffsetLoops::Loop loop;
    for (const std::int64_t i : map.in_index)
      loop.from.push_back(reads[static_cast<std::size_t>(i)]);
    for (const std::int64_t i : map.out_index)
      loop.to.push_back(writes[static_cast<std::size_t>(i)]);
    loops.loops.push_back(std::move(loop));
  }
  order_loops(loops);
  return loops;
}

/// Runs a copy, unless source and target are the same memory.
template <class Number>
void run_copy(const OffsetLoops& loops, const Number* from, Number* to) {
  const Number* first = from;
  const Number* target = to;
  for (const OffsetLoops::Loop& loop : loops.loops) {
    if (loop.from.empty()) return;
    first += loop.from[0];
    target += loop.to[0];
  }
  if (first != target) run_loops(loops, from, to);
}

/// Returns true for a Gather of a list of channels, which are axis 1, from a tensor that has
/// spatial axes and is no constant.
bool gathers_channels(const NodeView& node) {
  return node.kind() == "Gather" && node.shape(0).size() >= 3 && node.shape(1).size() == 1 &&
         node.axis(node.integer("axis", 0), node.shape(0).size()) == 1 && !node.input(0).constant;
}

/// Gathers channels in layouts other than nchw. The channels of a pixel that are contiguous in
/// memory are written together, which can use vector instructions.
struct ChannelGather {
  ChannelBlocks in = {}, out = {};
  /// For each channel of the output, holds the offset of its source in the first pixel of an image.
  std::vector<std::int32_t> places = {};

  TILEPLAN_VECTORISED inline void run(const StepTensors& t) const {
    for (std::int64_t block = 0; block < out.images * out.blocks; ++block) {
      const float* from = t.in[0] + block / out.blocks * in.blocks * in.plane * in.inner;
      const std::int32_t* const first = places.data() + block % out.blocks * out.inner;
      float* to = t.out[0] + block * out.plane * out.inner;
      for (std::int64_t p = 0; p < out.plane; ++p, from += in.inner, to += out.inner)
        for (std::int64_t i = 0; i < out.inner; ++i) to[i] = from[first[i]];
    }
  }
};

Operation channel_gather_operation(const NodeView& node, Layout layout) {
  ChannelGather gather{.in = channel_blocks(node.shape(0), layout),
                       .out = channel_blocks(node.out_shape(), layout)};
  const Extents offsets = axis_offsets(node.shape(0), layout, 1);
  const Extents channels = moves_of(node).list.front().loops[1].in_index;
  gather.places.reserve(channels.size());
  for (const std::int64_t channel : channels)
    gather.places.push_back(static_cast<std::int32_t>(offsets[static_cast<std::size_t>(channel)]));
  return vectorised([gather](const StepTensors& t) TILEPLAN_VECTORISED { gather.run(t); });
}

Operation move_operation(const NodeView& node, Layout layout) {
  constexpr std::int64_t kMostPlaces = std::int64_t{1} << 31;
  if (gathers_channels(node) && layout != Layout::nchw && elements_of(node.shape(0)) < kMostPlaces)
    return channel_gather_operation(node, layout);
  struct Copy {
    std::size_t input, output;
    OffsetLoops loops;
  };
  const Moves moves = moves_of(node);
  std::vector<Copy> copies;
  for (const Move& move : moves.list)
    copies.push_back(
        {move.input, move.output,
         loops_between(move, node.shape(move.input), layout, moves.outputs[move.output], layout)});
  const std::int64_t filled = moves.fills ? elements_of(moves.outputs[0]) : 0;
  return [copies, filled, fill = static_cast<float>(moves.fill)](const StepTensors& t) {
    std::fill_n(t.out[0], filled, fill);
    for (const Copy& copy : copies)
      if (t.out[copy.output]) run_copy(copy.loops, t.in[copy.input], t.out[copy.output]);
  };
}

}  // namespace

Extents spread_steps(const Extents& shape, const Extents& out) {
  const Extents strides = row_major(shape);
  Extents steps(out.size());
  for (std::size_t a = 0; a < shape.size(); ++a)
    if (shape[a] != 1) steps[out.size() - shape.size() + a] = strides[a];
  return steps;
}

bool is_per_channel(const Extents& shape, const Extents& factor) {
  if (shape.size() < 3 || factor.size() != shape.size()) return false;
  return factor[0] == shape[0] && factor[1] == shape[1] &&
         std::all_of(factor.begin() + 2, factor.end(), [](std::int64_t e) { return e == 1; });
}

bool works_in_any_layout(const Graph& graph, const GraphNode& node) {
  const std::string& kind = node.kind;
  const NodeView view(graph, node);
  if (is_unary(kind) || kind == "MaxPool" || kind == "AveragePool" || kind == "GlobalAveragePool")
    return true;
  const Extents& shape = view.shape(0);
  if (kind == "Gather") return gathers_channels(view);
  if (kind == "Affine") return view.axis(view.integer("axis", 1), shape.size()) == 1;
  if (is_binary(kind)) return !view.input(0).constant && keeps_places(view);
  if (kind == "Cast") return view.input(0).type == "s32";
  if (is_quantisation(kind))
    return elements_of(view.shape(1)) == 1 || view.axis(view.integer("axis", 1), shape.size()) == 1;
  return kind == "LRN" || kind == "Concat" || kind == "Pad" || kind == "Resize" ||
         kind == "Upsample" || kind == "Slice" || kind == "Split";
}

ChannelBlocks channel_blocks(const Extents& shape, Layout layout, std::size_t axis) {
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const std::int64_t images = elements_of({shape.begin(), at}), channels = *at,
                     plane = elements_of({at + 1, shape.end()});
  if (layout == Layout::nhwc) return {images, 1, plane, channels};
  if (layout == Layout::nchw) return {images, channels, plane, 1};
  return {images, channels / block_of(layout), plane, block_of(layout)};
}

Extents axis_offsets(const Extents& shape, Layout layout, std::size_t axis) {
  Extents offsets(static_cast<std::size_t>(shape[axis]));
  Extents strides = row_major(shape);
  if (layout == Layout::nchw || shape.size() < 3) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
      offsets[i] = static_cast<std::int64_t>(i) * strides[axis];
    return offsets;
  }
  const ChannelBlocks view = channel_blocks(shape, layout);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (axis == 0) offsets[i] = index * strides[0];
    if (axis == 1) offsets[i] = index / view.inner * view.plane * view.inner + index % view.inner;
    if (axis > 1) offsets[i] = index * strides[axis] * view.inner;
  }
  return offsets;
}

namespace {

/// Returns the operation that copies `bytes` bytes.
Operation copy_operation(std::int64_t bytes) {
  return [count = static_cast<std::size_t>(bytes)](const StepTensors& t) {
    std::memcpy(t.out[0], t.in[0], count);
  };
}

}  // namespace

bool is_transposition(const Extents& shape, Layout from, Layout to, std::int64_t bytes) {
  if (shape.size() < 3 || bytes != sizeof(float)) return false;
  const ChannelBlocks view = channel_blocks(shape, from == Layout::nchw ? to : from);
  return (from == Layout::nchw || to == Layout::nchw) && view.inner > 1 && view.plane > 1;
}

Operation conversion_of(const Extents& shape, Layout from, Layout to, std::int64_t bytes) {
  if (from == to || shape.size() < 3) return copy_operation(bytes * elements_of(shape));
  if (is_transposition(shape, from, to, bytes)) {
    const ChannelBlocks view = channel_blocks(shape, from == Layout::nchw ? to : from);
    const bool last = from == Layout::nchw;
    const Transposition matrix{.images = view.images * view.blocks,
                               .rows = last ? view.inner : view.plane,
                               .columns = last ? view.plane : view.inner};
    return [matrix](const StepTensors& t) {
      transpose(matrix, t.in[0], t.out[0], t.share(matrix.columns));
    };
  }
  Move move;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    Extents indices(static_cast<std::size_t>(shape[a]));
    std::iota(indices.begin(), indices.end(), 0);
    move.loops.push_back({a, a, indices, indices});
  }
  const bool is_float = bytes == sizeof(float);
  return [loops = loops_between(move, shape, from, shape, to), is_float](const StepTensors& t) {
    if (is_float) return run_copy(loops, t.in[0], t.out[0]);
    run_copy(loops, reinterpret_cast<const std::uint8_t*>(t.in[0]),
             reinterpret_cast<std::uint8_t*>(t.out[0]));
  };
}

bool runs_in_parts(const NodeView& node) {
  const std::string& kind = node.kind();
  if (is_binary(kind)) return keeps_places(node);
  return is_unary(kind) || kind == "Affine" || kind == "LRN" || kind == "MaxPool" ||
         kind == "AveragePool";
}

Operation operation_of(const NodeView& node, Layout layout) {
  const std::string& kind = node.kind();
  if (is_unary(kind)) return unary_operation(node);
  if (is_binary(kind)) return binary_operation(node, layout);
  if (is_move(kind)) return move_operation(node, layout);
  if (is_product(kind)) return product_operation(node);
  if (kind == "Affine") return affine_operation(node, layout);
  if (kind == "MaxPool" || kind == "AveragePool") return pool_operation(node, layout);
  if (kind == "GlobalAveragePool" || kind == "ReduceMean") return mean_operation(node, layout);
  if (kind == "LRN") return lrn_operation(node, layout);
  if (kind == "Softmax") return softmax_operation(node);
  if (kind == "Reshape")
    return copy_operation(bytes_of_type(node.input(0).type) * elements_of(node.out_shape()));
  return integer_operation(node, layout);
}

}  // namespace tileplan
