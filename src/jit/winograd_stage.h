// SPDX-License-Identifier: Apache-2.0
// This file runs the transform before or after the products of a Winograd convolution.
#pragma once

#include <cstdint>
#include <vector>

#include "tile_transform.h"
#include "winograd_convolution.h"

namespace tileplan {

/// Holds the numbers of groups, tiles and channels in a box, or the indices of the first ones.
struct StageBox {
  std::int64_t groups = 0, tiles = 0, channels = 0;
};

struct WinogradStageSpec {
  Isa isa = Isa::avx2;
  /// With Operand::input, the stage transforms the input to a box, and with Operand::output, a box
  /// to the output.
  Operand operand = Operand::input;
  TensorLayout box;        ///< winograd_box_layout() returned this layout.
  Epilogue epilogue = {};  ///< Only the output has an epilogue.
};

/// Holds the base addresses of one execution of a stage.
struct StageBuffers {
  /// This is the input, or the box that is transformed to the output.
  const char* input = nullptr;
  char* output = nullptr;   ///< This is the output, or the box that the input is transformed to.
  char* scratch = nullptr;  ///< This memory has WinogradStage::scratch_bytes().
  const char* bias = nullptr;
  std::int64_t residual = 0;  ///< The residual is this many bytes from the output.
};

/// Owns two assembled transforms, for whole vectors and for the last channels, for each set of
/// elements of a tile that lie inside the tensor. A transform does not access other elements.
class WinogradStage {
 public:
  /// Throws Error when a transform cannot be assembled, or when a tile spans more than 2^30 bytes.
  WinogradStage(const WinogradConvolution& convolution, const WinogradStageSpec& spec);

  /// Transforms the tiles of `box`, which begins at `first`. Channels of the box beyond the last
  /// channel are left out.
  void run(const StageBox& box, const StageBox& first, const StageBuffers& buffers) const;

  std::int64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  /// Describes the tiles along one direction. Tiles with equal windows (elements inside the tensor)
  /// have equal numbers.
  struct Line {
    TileDirection direction;
    std::int64_t stride = 0;   ///< Neighbouring elements in the tensor are this many bytes apart.
    std::vector<int> numbers;  ///< Maps each tile to the number of its window.
    std::vector<IndexRange> windows;  ///< Maps each number to a window.
  };
  /// Locates a tile by its image, row and column.
  struct TileIndex {
    std::int64_t image = 0, row = 0, column = 0;
  };
  struct Addresses {
    const char* input = nullptr;
    char* output = nullptr;
    const char* bias = nullptr;
  };

  static Line line_of(const TileDirection& direction, std::int64_t stride);
  void assemble(const WinogradConvolution& convolution, const WinogradStageSpec& spec);
  TileTransformSpec transform_spec(const WinogradConvolution& convolution,
                                   const WinogradStageSpec& spec) const;
  std::size_t variant(int row, int column, bool tail) const;
  TileIndex index_of(std::int64_t tile) const;
  void advance(TileIndex& index) const;
  std::int64_t tensor_offset(const TileIndex& index) const;
  void run_tile(const TileIndex& index, std::int64_t channels, Addresses at,
                const StageBuffers& buffers) const;

  bool is_input_;
  /// A vector has this many lanes, and a group this many channels.
  std::int64_t lanes_, channels_;
  Line rows_, columns_;
  std::int64_t image_stride_;
  /// These axes describe the tensor; strides are in elements.
  AxisLayout group_axis_, channel_axis_;
  std::int64_t box_group_, box_tile_;  ///< These strides of the box are in bytes.
  std::int64_t in_vector_ = 0,
               out_vector_ = 0;            ///< Neighbouring vectors have these distances in bytes.
  std::vector<TileTransform> transforms_;  ///< variant() returns the index of a transform.
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace tileplan
