// SPDX-License-Identifier: Apache-2.0
// This file computes layouts, and how vectors, tiles and loops move through them.
#include "tensor_layout.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "crowded_rows.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Holds the stored sizes of an activation, whose indices are [n, g, channels per group, spatial
/// directions].
struct Activation {
  std::int64_t batch, groups, channels;
  std::vector<std::int64_t> spatial;

  std::int64_t total_channels() const { return groups * channels; }
  std::int64_t pixels() const {
    return std::accumulate(spatial.begin(), spatial.end(), std::int64_t{1}, std::multiplies<>());
  }
};

Activation activation_of(const TensorAccess& tensor) {
  Activation activation{tensor.data[0].extent, tensor.data[1].extent, tensor.data[2].extent, {}};
  for (std::size_t i = 3; i < tensor.data.size(); ++i)
    activation.spatial.push_back(tensor.data[i].extent);
  return activation;
}

/// Returns `axes` followed by the axes of row-major pixels that are `pixel` elements apart.
std::vector<AxisLayout> with_pixels(const Activation& a, std::vector<AxisLayout> axes,
                                    std::int64_t pixel) {
  axes.resize(axes.size() + a.spatial.size());
  for (std::size_t i = a.spatial.size(); i-- > 0; pixel *= a.spatial[i])
    axes[axes.size() - a.spatial.size() + i] = {.stride = pixel};
  return axes;
}

std::int64_t channels_of_block(Layout layout) {
  if (layout == Layout::nChw16c) return 16;
  return layout == Layout::nChw8c ? 8 : 0;
}

/// Returns the number of strips of `tensor` in a block of channels, or 0 for no blocks.
std::int64_t block_of(Layout layout, const TensorAccess& tensor) {
  return channels_of_block(layout) / tensor.strip;
}

[[noreturn]] void refuse_size(const TensorAccess& tensor) {
  throw Error("layout: " + tensor.name + " has more than 2^63 - 1 elements; must not");
}

/// Returns `layout` with the matrices of a batch `distance` elements apart. The tensor then ends
/// with its last element, because rows of one matrix may lie between rows of another.
TensorLayout at_distance(const TensorAccess& tensor, TensorLayout layout, std::int64_t distance) {
  layout.axes.front().stride = distance;
  std::int64_t last = 0, reach = 0;
  for (std::size_t i = 0; i < tensor.data.size(); ++i)
    if (multiply_overflows(tensor.data[i].extent - 1, layout.axes[i].stride, reach) ||
        add_overflows(last, reach, last))
      refuse_size(tensor);
  layout.elements = last + 1;
  return layout;
}

/// Holds the distances between rows and between matrices, as in GemmShape.
struct Pitches {
  std::int64_t row = 1;
  std::optional<std::int64_t> matrix = {};
};

/// Returns the pitches of `operand`. Tensors that are no matrices have rows without gaps.
Pitches pitches_of(const Computation& computation, Operand operand) {
  const std::vector<DataDim>& data = computation.tensor(operand).data;
  const auto* const gemm = std::get_if<GemmShape>(&computation.problem);
  if (gemm == nullptr) return {.row = data.empty() ? 1 : data.back().extent};
  if (operand == Operand::input) return {gemm->lda, gemm->sa};
  if (operand == Operand::weights) return {gemm->ldb, gemm->sb};
  return {gemm->ldc, gemm->sc};
}

TensorLayout row_major(const Computation& computation, Operand operand) {
  const TensorAccess& tensor = computation.tensor(operand);
  const Pitches pitches = pitches_of(computation, operand);
  TensorLayout layout{std::vector<AxisLayout>(tensor.data.size()), 1};
  for (std::size_t i = tensor.data.size(); i-- > 0;) {
    layout.axes[i].stride = layout.elements;
    const bool is_row = i + 1 == tensor.data.size();
    const std::int64_t length = is_row ? pitches.row : tensor.data[i].extent;
    if (multiply_overflows(layout.elements, length, layout.elements)) refuse_size(tensor);
  }
  const std::int64_t distance = pitches.matrix.value_or(0);
  return distance == 0 ? layout : at_distance(tensor, layout, distance);
}

TensorLayout channels_last(const Activation& a) {
  const std::int64_t all = a.total_channels();
  return {
      with_pixels(a, {{.stride = a.pixels() * all}, {.stride = a.channels}, {.stride = 1}}, all),
      a.batch * a.pixels() * all};
}

/// Returns the layout in which channel g * channels + c lies in block (g * channels + c) / block.
/// The split into g and c is exact when a group is a whole number of blocks, or a block is a whole
/// number of groups.
TensorLayout blocked(const Activation& a, std::int64_t block) {
  const std::int64_t outer = a.pixels() * block,
                     image = round_up(a.total_channels(), block) * a.pixels();
  AxisLayout group{.stride = ceil_div(a.channels, block) * outer};
  AxisLayout channel{.stride = 1, .block = block, .outer = outer};
  if (a.groups > 1 && a.channels < block) {
    group = {.stride = a.channels, .block = block / a.channels, .outer = outer};
    channel = {.stride = 1};
  }
  return {with_pixels(a, {{.stride = image}, group, channel}, block), a.batch * image};
}

struct Progression {
  /// The differences of all values are multiples of this number.
  std::int64_t gap = 1;
  /// Counts the multiples of the gap from the smallest to the largest value, both included.
  std::int64_t count = 1;
};

Progression progression_of(const Computation& computation, const DataDim& data, const Tile& box) {
  std::int64_t reach = 0, gap = 0;
  for (const Term& term : data.terms) {
    if (box[term.dim] <= 1) continue;
    if (term.coefficient < 0)
      throw Error("layout: an index of the input falls as " + computation.name(term.dim) +
                  " rises; must not where the input is packed");
    reach += term.coefficient * (box[term.dim] - 1);
    gap = std::gcd(gap, term.coefficient);
  }
  return gap == 0 ? Progression{} : Progression{.gap = gap, .count = reach / gap + 1};
}

/// Returns the positions of the input's indices in the order of a packed box, outermost first. The
/// index of the first reduction dimension is moved innermost, and after that the index of
/// `vectorised`, if the input has it.
std::vector<std::size_t> packed_order(const Computation& computation, Dim vectorised) {
  const std::vector<DataDim>& data = computation.tensor(Operand::input).data;
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  int first = 0;
  while (first < computation.dims() && computation.role(Dim{first}) != Role::reduction) ++first;
  for (const Dim dim : {Dim{first}, vectorised}) {
    const auto found =
        std::ranges::find_if(order, [&](std::size_t axis) { return is_present(data[axis], dim); });
    if (found != order.end()) std::rotate(found, found + 1, order.end());
  }
  return order;
}

/// Returns the axis of `values` in a packed box, with `inner` elements inside it, and sets
/// `values.count` to its length. Values that differ by `step` become neighbours.
AxisLayout packed_axis(Progression& values, std::int64_t step, std::int64_t inner) {
  const std::int64_t phases = step / values.gap;
  if (phases > 1) {
    // AxisLayout multiplies value % step, a multiple of the gap, by the stride. This stride, which
    // is `inner` times pitch / gap, is an integer if the pitch is a multiple of the gap.
    const std::int64_t pitch = round_up(ceil_div(values.count, phases), values.gap);
    values.count = phases * pitch;
    return {.stride = pitch / values.gap * inner, .block = step, .outer = inner};
  }
  if (values.gap == 1) return {.stride = inner};
  return {.stride = 0, .block = values.gap, .outer = inner};
}

bool has_bias(const Computation& computation, const DataDim& data, bool per_batch) {
  per_batch = per_batch || std::holds_alternative<ConvShape>(computation.problem);
  const bool is_gemm = std::holds_alternative<GemmShape>(computation.problem);
  return std::ranges::any_of(data.terms, [&](const Term& term) {
    // The batch of products that share A is a channel dimension, but like other batches, it has a
    // bias per product only with `per_batch`.
    const bool shares_a =
        is_gemm && computation.name(term.dim) == "b" && computation.role(term.dim) == Role::channel;
    const Role role = shares_a ? Role::batch : computation.role(term.dim);
    return role == Role::channel || (per_batch && role == Role::batch);
  });
}

}  // namespace

bool holds_strips(Layout layout, const TensorAccess& tensor) {
  return channels_of_block(layout) % tensor.strip == 0;
}

TensorLayout bias_layout(const Computation& computation, bool per_batch) {
  const std::vector<DataDim>& data = computation.tensor(Operand::output).data;
  TensorLayout layout{std::vector<AxisLayout>(data.size()), 1};
  for (std::size_t i = data.size(); i-- > 0;) {
    const bool present = has_bias(computation, data[i], per_batch);
    layout.axes[i].stride = present ? layout.elements : 0;
    if (present) layout.elements *= data[i].extent;
  }
  return layout;
}

bool has_bias_along(const Computation& computation, Dim dim, bool per_batch) {
  const TensorAccess& output = computation.tensor(Operand::output);
  const auto term = find_term(output, dim);
  return term && has_bias(computation, output.data[term->index], per_batch);
}

bool holds_vectors(const TensorAccess& access, const TensorLayout& layout, Dim vectorised,
                   int lanes) {
  const auto term = find_term(access, vectorised);
  if (!term) return true;
  const AxisLayout& axis = layout.axes[term->index];
  return axis.offset(term->coefficient) == 1 &&
         (axis.block == 0 || axis.block == lanes || term->coefficient % axis.block == 0);
}

std::int64_t element_at(const TensorAccess& access, const TensorLayout& layout, const Tile& point) {
  std::int64_t element = 0;
  for (std::size_t a = 0; a < access.data.size(); ++a) {
    std::int64_t index = 0;
    for (const Term& term : access.data[a].terms) index += term.coefficient * point[term.dim];
    element += layout.axes[a].offset(index);
  }
  return element;
}

std::int64_t tile_reach(const Computation& computation, Operand operand, const TensorLayout& layout,
                        const Tile& tile) {
  Tile last{};
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) != Role::reduction) last[Dim{d}] = tile[Dim{d}] - 1;
  const TensorAccess& tensor = computation.tensor(operand);
  return element_at(tensor, layout, last) * tensor.element_bytes();
}

std::string why_unaligned(const Computation& computation, const TensorLayout& layout,
                          Dim vectorised, int lanes) {
  const TensorAccess& output = computation.tensor(Operand::output);
  for (std::size_t a = 0; a < output.data.size(); ++a)
    for (const Term& term : output.data[a].terms) {
      if (term.dim == vectorised || computation.extent(term.dim) == 1) continue;
      const std::int64_t stride = layout.axes[a].stride * term.coefficient;
      if (stride % lanes != 0)
        return "neighbours along " + computation.name(term.dim) + " are " + std::to_string(stride) +
               " elements apart in the output; must be multiples of " + std::to_string(lanes);
    }
  return "";
}

TensorLayout packed_layout(const Computation& computation, const Tile& box, Dim vectorised) {
  const std::vector<DataDim>& data = computation.tensor(Operand::input).data;
  const std::vector<std::size_t> order = packed_order(computation, vectorised);
  TensorLayout layout{std::vector<AxisLayout>(data.size()), 1};
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    Progression values = progression_of(computation, data[*axis], box);
    layout.axes[*axis] =
        packed_axis(values, coefficient_of(data[*axis], vectorised), layout.elements);
    if (multiply_overflows(layout.elements, values.count, layout.elements))
      throw Error("layout: a packed box of the input has more than 2^63 - 1 elements; must not");
    if (axis == order.rbegin())
      layout.elements = uncrowded(layout.elements, computation.tensor(Operand::input));
  }
  return layout;
}

std::string why_no_layout(const Computation& computation, Operand operand, Layout layout) {
  if (layout == Layout::plain) return "";
  const TensorAccess& tensor = computation.tensor(operand);
  if (!std::holds_alternative<ConvShape>(computation.problem) || operand == Operand::weights)
    return tensor.name + " is " + to_string(layout) +
           "; must be plain, other layouts are of the activations of a convolution";
  const Activation a = activation_of(tensor);
  if (layout == Layout::nchw && tensor.strip > 1)
    return tensor.name + " is nchw; must be nhwc or blocked, where strips of " +
           std::to_string(tensor.strip) + " channels are neighbours";
  if (!holds_strips(layout, tensor))
    return tensor.name + " is " + to_string(layout) + "; must be nhwc, where strips of " +
           std::to_string(tensor.strip) + " channels are neighbours";
  const std::int64_t block = block_of(layout, tensor);
  if (block == 0 || a.groups == 1 || a.channels % block == 0 || block % a.channels == 0) return "";
  return to_string(layout) + " with " + std::to_string(a.groups) + " groups of " +
         std::to_string(a.channels) +
         " channels; the channels of a group must be a multiple or a divisor of " +
         std::to_string(block);
}

TensorLayout layout_of(const Computation& computation, Operand operand, Layout layout) {
  if (const std::string why = why_no_layout(computation, operand, layout); !why.empty())
    throw Error("layout: " + why);
  if (layout == Layout::plain || layout == Layout::nchw) return row_major(computation, operand);
  const Activation activation = activation_of(computation.tensor(operand));
  return layout == Layout::nhwc
             ? channels_last(activation)
             : blocked(activation, block_of(layout, computation.tensor(operand)));
}

std::optional<CutBlock> cut_block(const Computation& computation, Operand operand,
                                  const TensorLayout& layout, const Repeat& loop) {
  const auto term = find_term(computation.tensor(operand), loop.dim);
  if (!term) return std::nullopt;
  const AxisLayout& axis = layout.axes[term->index];
  const std::int64_t apart = loop.step * term->coefficient;
  if (axis.is_linear(apart, apart * loop.count, computation.extent(loop.dim))) return std::nullopt;
  return CutBlock{.elements = axis.block, .points = axis.block / apart};
}

std::optional<CutBlock> cut_block(const Computation& computation, Operand operand,
                                  const TensorLayout& layout, Dim dim,
                                  const std::vector<Part>& parts) {
  const auto term = find_term(computation.tensor(operand), dim);
  if (!term || layout.axes[term->index].block == 0) return std::nullopt;
  const std::int64_t block = layout.axes[term->index].block;
  std::int64_t begin = 0;
  bool is_cut = false;
  for (const Part& part : parts) {
    is_cut = is_cut || begin * term->coefficient % block != 0;
    begin += part.times * part.size;
  }
  if (!is_cut || begin * term->coefficient <= block) return std::nullopt;
  return CutBlock{.elements = block, .points = block / term->coefficient};
}

}  // namespace tileplan
