// SPDX-License-Identifier: Apache-2.0
// Tiles at borders have code of their own that neither reads nor writes outside the tensor.
#include "winograd_stage.h"

#include <algorithm>
#include <limits>
#include <string>

#include "block_padding.h"
#include "microkernel_spec.h"
#include "tileplan/error.h"
#include "winograd_products.h"

namespace tileplan {
namespace {

constexpr std::int64_t kFloat = 4;
/// Tensors of at most this many bytes are not prefetched, because prefetches cost more than they
/// save (docs/experiments.md).
constexpr std::int64_t kHeldBytes = 1 << 20;

/// Returns the program of the input or output transform in one direction.
StraightLineProgram program_of(const WinogradMatrices& matrices, bool is_input) {
  return factored_program(is_input ? matrices.input : matrices.output);
}

void check_reach(const TileStrides& strides, int rows, int columns) {
  const std::int64_t reach = (rows - 1) * strides.row + (columns - 1) * strides.column;
  if (reach > kFarthestTile)
    throw Error("winograd: a tile reaches over " + std::to_string(reach) +
                " bytes of memory; must be at most " + std::to_string(kFarthestTile));
}

/// Returns true when the channels of a tail are followed by padding of the same group.
bool has_padding(const Computation& convolution, const AxisLayout& channels) {
  return channels.block != 0 && convolution.extent(convolution.dim("g")) == 1;
}

}  // namespace

WinogradStage::Line WinogradStage::line_of(const TileDirection& direction, std::int64_t stride) {
  Line line{.direction = direction, .stride = stride * kFloat, .numbers = {}, .windows = {}};
  for (std::int64_t tile = 0; tile < direction.tiles; ++tile) {
    const IndexRange window = direction.window(tile);
    const auto known = std::ranges::find(line.windows, window);
    line.numbers.push_back(static_cast<int>(known - line.windows.begin()));
    if (known == line.windows.end()) line.windows.push_back(window);
  }
  return line;
}

WinogradStage::WinogradStage(const WinogradConvolution& convolution, const WinogradStageSpec& spec)
    : is_input_(spec.operand == Operand::input),
      lanes_(lanes_of(spec.isa, ElementType::f32)),
      channels_(convolution.products.extent(convolution.products.dim(is_input_ ? "c" : "k"))) {
  const std::vector<AxisLayout>& axes = convolution.layout(spec.operand).axes;
  rows_ = line_of(convolution.rows(spec.operand), axes[kRowDim].stride);
  columns_ = line_of(convolution.columns(spec.operand), axes[kColumnDim].stride);
  image_stride_ = axes[kImageDim].stride * kFloat;
  group_axis_ = axes[kGroupDim];
  channel_axis_ = axes[kChannelDim];
  box_group_ = spec.box.axes[kBoxGroups].stride * kFloat;
  box_tile_ = spec.box.axes[kBoxTiles].stride * kFloat;
  assemble(convolution, spec);
}

std::size_t WinogradStage::variant(int row, int column, bool tail) const {
  const std::size_t window =
      static_cast<std::size_t>(row) * columns_.windows.size() + static_cast<std::size_t>(column);
  return 2 * window + (tail ? 1 : 0);
}

TileTransformSpec WinogradStage::transform_spec(const WinogradConvolution& convolution,
                                                const WinogradStageSpec& spec) const {
  const WinogradTile& tile = convolution.tile;
  const std::int64_t plane = spec.box.axes[kBoxProducts].stride * kFloat;
  const TileStrides box{
      .row = tile.width.inputs() * plane, .column = plane, .channels = lanes_ * kFloat};
  const TileStrides tensor{.row = rows_.stride,
                           .column = columns_.stride,
                           .channels = channel_axis_.offset(lanes_) * kFloat};
  check_reach(box, tile.height.inputs(), tile.width.inputs());
  check_reach(tensor, rows_.direction.size, columns_.direction.size);
  if (channels_ > lanes_ && tensor.channels > std::numeric_limits<std::int32_t>::max())
    throw Error("winograd: the next vector of channels is " + std::to_string(tensor.channels) +
                " bytes away; must be at most 2147483647");
  TileTransformSpec transform{.isa = spec.isa,
                              .height = program_of(tile.height, is_input_),
                              .width = program_of(tile.width, is_input_),
                              .in = {.strides = is_input_ ? tensor : box},
                              .out = {.strides = is_input_ ? box : tensor}};
  if (!is_input_) transform.epilogue = spec.epilogue;
  transform.prefetched = spec.operand;
  if (columns_.direction.tiles > 1 &&
      convolution.layout(spec.operand).elements * kFloat > kHeldBytes)
    transform.next_tile = columns_.direction.step * columns_.stride;
  transform.zeroes_other_lanes = !is_input_ && has_padding(convolution.computation, channel_axis_);
  return transform;
}

void WinogradStage::assemble(const WinogradConvolution& convolution,
                             const WinogradStageSpec& spec) {
  TileTransformSpec transform = transform_spec(convolution, spec);
  in_vector_ = transform.in.strides.channels;
  out_vector_ = transform.out.strides.channels;
  TileAccess& tensor = is_input_ ? transform.in : transform.out;
  for (const IndexRange& rows : rows_.windows)
    for (const IndexRange& columns : columns_.windows) {
      tensor.window = {rows, columns};
      tensor.lanes = 0;
      transforms_.emplace_back(transform);
      tensor.lanes = static_cast<int>(channels_ % lanes_);
      tensor.lanes == 0 ? transforms_.push_back(transforms_.back())
                        : static_cast<void>(transforms_.emplace_back(transform));
    }
  scratch_bytes_ = static_cast<std::int64_t>(transforms_.front().scratch_floats()) * kFloat;
}

WinogradStage::TileIndex WinogradStage::index_of(std::int64_t tile) const {
  const std::int64_t in_image = rows_.direction.tiles * columns_.direction.tiles;
  return {.image = tile / in_image,
          .row = tile % in_image / columns_.direction.tiles,
          .column = tile % columns_.direction.tiles};
}

void WinogradStage::advance(TileIndex& index) const {
  if (++index.column < columns_.direction.tiles) return;
  index.column = 0;
  if (++index.row < rows_.direction.tiles) return;
  index.row = 0;
  ++index.image;
}

std::int64_t WinogradStage::tensor_offset(const TileIndex& index) const {
  return index.image * image_stride_ + rows_.direction.start(index.row) * rows_.stride +
         columns_.direction.start(index.column) * columns_.stride;
}

void WinogradStage::run_tile(const TileIndex& index, std::int64_t channels, Addresses at,
                             const StageBuffers& buffers) const {
  const int row = rows_.numbers[static_cast<std::size_t>(index.row)];
  const int column = columns_.numbers[static_cast<std::size_t>(index.column)];
  TileTransformCall call{.in = reinterpret_cast<const float*>(at.input),
                         .out = reinterpret_cast<float*>(at.output),
                         .scratch = reinterpret_cast<float*>(buffers.scratch),
                         .vectors = channels / lanes_,
                         .bias = reinterpret_cast<const float*>(at.bias),
                         .residual = buffers.residual};
  if (call.vectors > 0) transforms_[variant(row, column, false)](call);
  if (channels % lanes_ == 0) return;
  call.in += call.vectors * in_vector_ / kFloat;
  call.out += call.vectors * out_vector_ / kFloat;
  if (call.bias != nullptr) call.bias += call.vectors * lanes_;
  call.vectors = 1;
  transforms_[variant(row, column, true)](call);
}

void WinogradStage::run(const StageBox& box, const StageBox& first,
                        const StageBuffers& buffers) const {
  const std::int64_t channels = std::min(box.channels, channels_ - first.channels);
  for (std::int64_t g = 0; g < box.groups; ++g) {
    const std::int64_t group = first.groups + g;
    const std::int64_t in_tensor =
        (group_axis_.offset(group) + channel_axis_.offset(first.channels)) * kFloat;
    const char* bias = buffers.bias;
    if (bias != nullptr) bias += (group * channels_ + first.channels) * kFloat;
    TileIndex index = index_of(first.tiles);
    for (std::int64_t t = 0; t < box.tiles; ++t, advance(index)) {
      const std::int64_t tensor = in_tensor + tensor_offset(index);
      const std::int64_t place = g * box_group_ + t * box_tile_;
      run_tile(index, channels,
               {.input = buffers.input + (is_input_ ? tensor : place),
                .output = buffers.output + (is_input_ ? place : tensor),
                .bias = bias},
               buffers);
    }
  }
}

}  // namespace tileplan
