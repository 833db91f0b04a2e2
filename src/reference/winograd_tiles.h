// SPDX-License-Identifier: Apache-2.0
// This file enumerates the tiles of a Winograd convolution, and reads their inputs and weights.
#pragma once

#include <algorithm>

#include "integers.h"
#include "reference.h"
#include "winograd_matrices.h"

namespace tileplan {

/// Names the loops of a 1-D or 2-D convolution.
struct ConvDims {
  Dim n, g, k, c, h, w, r, s;

  explicit ConvDims(const Computation& computation)
      : n(computation.dim("n")),
        g(computation.dim("g")),
        k(computation.dim("k")),
        c(computation.dim("c")),
        h(computation.dim("h")),
        w(computation.dim("w")),
        r(computation.dim("r")),
        s(computation.dim("s")) {}
};

/// Reads one convolution tile by tile. Keeps references to its arguments.
class TileReader {
 public:
  /// Throws Error when an operand does not have as many elements as its layout.
  TileReader(const Computation& computation, const Operands& operands, const WinogradTile& tile)
      : dims(computation),
        computation_(computation),
        input_(computation.tensor(Operand::input), operands.input),
        weights_(computation.tensor(Operand::weights), operands.weights),
        tile_(tile) {}

  const ConvDims dims;

  std::int64_t extent(Dim dim) const { return computation_.extent(dim); }

  /// Calls visit(point, input, weights) for each tile and output channel. input_of(point) makes
  /// `input` once per tile of each group, and weights_of(point) makes `weights` once per output
  /// channel of each group.
  template <class InputOf, class WeightsOf, class Visit>
  void for_each_sum(const InputOf& input_of, const WeightsOf& weights_of,
                    const Visit& visit) const {
    for (std::int64_t g = 0; g < extent(dims.g); ++g) {
      const auto weights = for_each_channel(g, weights_of);
      for_each_tile(g, [&](Tile point) {
        const auto input = input_of(point);
        for (auto& k = point[dims.k]; k < extent(dims.k); ++k)
          visit(std::as_const(point), input, weights[static_cast<std::size_t>(k)]);
      });
    }
  }

  /// Returns the inputs of channel `c` that the tile at `point` reads. Padding is zero, and so are
  /// inputs that only outputs beyond the tensor need.
  template <class Number>
  Matrix<Number> input_at(Tile point, std::int64_t c) const {
    point[dims.c] = c;
    return rows_at<Number>(input_, point, {dims.h, dims.w},
                           Matrix<Number>(tile_.height.inputs(), tile_.width.inputs()));
  }

  /// Returns the taps of channel `c` for the group and output channel of `point`.
  template <class Number>
  Matrix<Number> weights_at(const Tile& point, std::int64_t c) const {
    Tile first;
    first[dims.g] = point[dims.g];
    first[dims.k] = point[dims.k];
    first[dims.c] = c;
    return rows_at<Number>(weights_, first, {dims.r, dims.s},
                           Matrix<Number>(tile_.height.taps, tile_.width.taps));
  }

  /// Calls visit(row, column, position) for each output of the tile at `point` that exists.
  template <class Visit>
  void for_each_output(const Tile& point, const TensorLayout& output, const Visit& visit) const {
    const auto rows = std::min<std::int64_t>(tile_.height.outputs, extent(dims.h) - point[dims.h]);
    const auto columns =
        std::min<std::int64_t>(tile_.width.outputs, extent(dims.w) - point[dims.w]);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        Tile at = point;
        at[dims.h] += row;
        at[dims.w] += column;
        visit(row, column, element_index(computation_.tensor(Operand::output), output, at));
      }
  }

 private:
  struct Plane {
    Dim row, column;
  };

  /// Returns `make(point)` for each output channel of group `g`.
  template <class Make>
  auto for_each_channel(std::int64_t g, const Make& make) const {
    std::vector<decltype(make(Tile{}))> results;
    Tile point;
    point[dims.g] = g;
    for (auto& k = point[dims.k]; k < extent(dims.k); ++k) results.push_back(make(point));
    return results;
  }

  /// Calls `visit` with the first output of each tile of group `g`, in output channel 0.
  template <class Visit>
  void for_each_tile(std::int64_t g, const Visit& visit) const {
    Tile point;
    point[dims.g] = g;
    for (point[dims.n] = 0; point[dims.n] < extent(dims.n); ++point[dims.n])
      for (point[dims.h] = 0; point[dims.h] < extent(dims.h); point[dims.h] += tile_.height.outputs)
        for (point[dims.w] = 0; point[dims.w] < extent(dims.w);
             point[dims.w] += tile_.width.outputs)
          visit(std::as_const(point));
  }

  /// Fills `matrix` with the elements at `point` and at the next iterations of two dimensions.
  template <class Number>
  static Matrix<Number> rows_at(const Reader& reader, Tile point, Plane plane,
                                Matrix<Number> matrix) {
    for (int row = 0; row < matrix.rows; ++row, ++point[plane.row])
      reader.read(point, plane.column, matrix.columns, &matrix.at(row, 0));
    return matrix;
  }

  const Computation& computation_;
  Reader input_, weights_;
  const WinogradTile& tile_;
};

}  // namespace tileplan
