// SPDX-License-Identifier: Apache-2.0
// This file describes the tensors around the products of a Winograd convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "computation.h"
#include "loop_program.h"
#include "tile_window.h"
#include "winograd_matrices.h"

namespace tileplan {

/// These are the positions of the indices of the activations of a 2-D convolution.
constexpr std::size_t kImageDim = 0, kGroupDim = 1, kChannelDim = 2, kRowDim = 3, kColumnDim = 4;

/// Holds a convolution whose products are computed by the loops of a Winograd schedule.
struct WinogradConvolution {
  Computation computation;  ///< This is the convolution itself.
  /// Holds winograd_products(), the products of the transformed tiles.
  Computation products;
  WinogradTile tile;
  TensorLayout input, output;  ///< The transforms read and write these layouts.

  const TensorLayout& layout(Operand operand) const {
    return operand == Operand::input ? input : output;
  }
  /// These functions return the tiles of the input or of the output along one direction.
  TileDirection rows(Operand operand) const;
  TileDirection columns(Operand operand) const;
};

/// Returns the convolution that `schedule`, which must have Winograd tiles, computes. Code that
/// addresses by pointers reads and writes nhwc instead of nchw. Throws Error as winograd_tile() and
/// layout_of() do, when vectors of `lanes` channels are not contiguous in a layout for addressing
/// by pointers, or when blocks of channels are no whole vectors.
WinogradConvolution winograd_convolution(const Computation& convolution, const Schedule& schedule,
                                         int lanes, Addressing addressing);

/// Returns the transformed weights U[g][x][c][k] in row-major order, for `weights` in the plain
/// layout. For the filter F of group g and channels c and k, x numbers the elements of G F G^T in
/// row-major order, where G of the height may differ from G of the width. The elements are computed
/// in f64 and rounded to f32.
std::vector<float> transformed_weights(const WinogradConvolution& convolution,
                                       std::span<const float> weights);

/// Returns a number that identifies the transform of the weights and is never 0. Different
/// transforms almost never have equal numbers.
std::uint64_t transform_number(const WinogradTile& tile);

}  // namespace tileplan
