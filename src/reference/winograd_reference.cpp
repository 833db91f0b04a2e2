// SPDX-License-Identifier: Apache-2.0
// The loops follow the definition: transform tiles, multiply channel by channel, transform back.
#include "winograd_reference.h"

#include <concepts>

#include "straight_line_program.h"
#include "winograd_rules.h"
#include "winograd_tiles.h"

namespace tileplan {
namespace {

/// Weights are transformed in this type before they are converted to Number.
template <class Number>
using Precise = std::conditional_t<std::floating_point<Number>, double, Rational>;

/// Applies one program to the columns of a tile, and then another one to the rows.
template <class Number>
class TileTransform {
 public:
  TileTransform(const Matrix<Rational>& height, const Matrix<Rational>& width)
      : height_(factored_program(height)), width_(factored_program(width)) {}

  Matrix<Number> operator()(const Matrix<Number>& in) {
    Matrix<Number> middle(static_cast<int>(height_.outputs()), in.columns);
    for (int column = 0; column < in.columns; ++column)
      height_({&in.at(0, column), in.columns}, {&middle.at(0, column), in.columns});
    Matrix<Number> out(middle.rows, static_cast<int>(width_.outputs()));
    for (int row = 0; row < middle.rows; ++row) width_({&middle.at(row, 0)}, {&out.at(row, 0)});
    return out;
  }

 private:
  ProgramRun<Number> height_, width_;
};

template <class Number>
using Channels = std::vector<Matrix<Number>>;

template <class Number>
class Convolution {
 public:
  Convolution(const TileReader& tiles, const WinogradTile& tile)
      : tiles_(tiles),
        input_(tile.height.input, tile.width.input),
        output_(tile.height.output, tile.width.output) {
    const auto precise = [](const Rational& value) { return static_cast<Precise<Number>>(value); };
    height_weights_ = mapped_matrix<Precise<Number>>(tile.height.weights, precise);
    width_weights_ = mapped_matrix<Precise<Number>>(tile.width.weights, precise);
  }

  /// Returns the transformed weights of the group and output channel of `point`.
  Channels<Number> transformed_weights(const Tile& point) const {
    return channels([&](std::int64_t c) {
      const auto taps = tiles_.weights_at<Precise<Number>>(point, c);
      return mapped_matrix<Number>(
          transformed(height_weights_, taps, width_weights_),
          [](const Precise<Number>& value) { return static_cast<Number>(value); });
    });
  }

  Channels<Number> transformed_input(const Tile& point) {
    return channels([&](std::int64_t c) { return input_(tiles_.input_at<Number>(point, c)); });
  }

  /// Returns the outputs of one tile and output channel.
  Matrix<Number> result(const Channels<Number>& input, const Channels<Number>& weights) {
    Matrix<Number> sums(input[0].rows, input[0].columns);
    for (std::size_t c = 0; c < input.size(); ++c)
      for (std::size_t x = 0; x < sums.values.size(); ++x)
        add_product(input[c].values[x], weights[c].values[x], sums.values[x]);
    return output_(sums);
  }

 private:
  template <class Make>
  Channels<Number> channels(const Make& make) const {
    Channels<Number> all;
    for (std::int64_t c = 0; c < tiles_.extent(tiles_.dims.c); ++c) all.push_back(make(c));
    return all;
  }

  static void add_product(const Number& a, const Number& b, Number& sum) {
    if constexpr (std::floating_point<Number>)
      sum = std::fma(a, b, sum);
    else
      sum += a * b;
  }

  const TileReader& tiles_;
  TileTransform<Number> input_, output_;
  Matrix<Precise<Number>> height_weights_, width_weights_;
};

}  // namespace

template <class Number>
std::vector<Number> winograd_reference(const Computation& computation, const Operands& operands,
                                       const TensorLayout& output, const WinogradTile& tile) {
  check_winograd(computation.problem, tile);
  const TileReader tiles(computation, operands, tile);
  Convolution<Number> convolution(tiles, tile);
  std::vector<Number> result(static_cast<std::size_t>(output.elements));
  tiles.for_each_sum(
      [&](const Tile& point) { return convolution.transformed_input(point); },
      [&](const Tile& point) { return convolution.transformed_weights(point); },
      [&](const Tile& at, const Channels<Number>& input, const Channels<Number>& weights) {
        const Matrix<Number> outputs = convolution.result(input, weights);
        tiles.for_each_output(at, output, [&](int row, int column, std::size_t position) {
          result[position] = outputs.at(row, column);
        });
      });
  return result;
}

template std::vector<float> winograd_reference(const Computation&, const Operands&,
                                               const TensorLayout&, const WinogradTile&);
template std::vector<Rational> winograd_reference(const Computation&, const Operands&,
                                                  const TensorLayout&, const WinogradTile&);

}  // namespace tileplan
