// SPDX-License-Identifier: Apache-2.0
// This file bounds and estimates the rounding errors of Winograd kernels in f32. It adds absolute
// values and squares of the numbers that kernels compute, in double precision.
#include <cmath>

#include "activation.h"
#include "scaled_sums.h"
#include "winograd_error.h"
#include "winograd_reference.h"
#include "winograd_rules.h"
#include "winograd_tiles.h"

namespace tileplan {
namespace {

Matrix<double> absolute(const Matrix<double>& matrix) {
  return mapped_matrix<double>(matrix, [](double value) { return std::abs(value); });
}

Matrix<double> squared(const Matrix<double>& matrix) {
  return mapped_matrix<double>(matrix, [](double value) { return value * value; });
}

/// Applies a linear map along the height and another one along the width.
struct TwoSided {
  Matrix<double> height, width;

  Matrix<double> of(const Matrix<double>& matrix) const {
    return transformed(height, matrix, width);
  }
  TwoSided absolute_values() const { return {absolute(height), absolute(width)}; }
  TwoSided squares() const { return {squared(height), squared(width)}; }
};

/// Holds one channel of a tile, or of the weights, after the transform.
struct Transformed {
  Matrix<double> values;
  /// Holds the transform of the absolute values by the absolute matrices. It bounds abs(values),
  /// and is a factor of S in eq. (W2).
  Matrix<double> largest;
};

/// Sums one tile and output channel over the input channels.
struct TileSums {
  Matrix<double> largest;   ///< This is S of eq. (W2).
  Matrix<double> partial;   ///< Holds the sums of squares of all partial sums.
  Matrix<double> products;  ///< Holds the sums of squares of all products.
  Matrix<double> total;

  TileSums(int rows, int columns)
      : largest(rows, columns),
        partial(rows, columns),
        products(rows, columns),
        total(rows, columns) {}

  void add(const Transformed& input, const Transformed& weights) {
    for (std::size_t x = 0; x < total.values.size(); ++x) {
      const double one = input.values.values[x] * weights.values.values[x];
      total.values[x] += one;
      partial.values[x] += total.values[x] * total.values[x];
      products.values[x] += one * one;
      largest.values[x] += input.largest.values[x] * weights.largest.values[x];
    }
  }
};

class ErrorLimits {
 public:
  ErrorLimits(const TileReader& tiles, const WinogradTile& tile)
      : tiles_(tiles), height_(numbers_of(tile.height)), width_(numbers_of(tile.width)) {}

  std::vector<Transformed> weights(const Tile& point) const {
    return channels({height_.weights, width_.weights},
                    [&](std::int64_t c) { return tiles_.weights_at<double>(point, c); });
  }

  std::vector<Transformed> input(const Tile& point) const {
    return channels({height_.input, width_.input},
                    [&](std::int64_t c) { return tiles_.input_at<double>(point, c); });
  }

  TileSums sums(const std::vector<Transformed>& input,
                const std::vector<Transformed>& weights) const {
    TileSums sums(height_.input.rows, width_.input.rows);
    for (std::size_t c = 0; c < input.size(); ++c) sums.add(input[c], weights[c]);
    return sums;
  }

  /// Returns the certified bounds of the outputs of a tile.
  Matrix<double> bounds(const TileSums& sums) const {
    Matrix<double> bounds =
        TwoSided{height_.output, width_.output}.absolute_values().of(sums.largest);
    for (int row = 0; row < bounds.rows; ++row)
      for (int column = 0; column < bounds.columns; ++column)
        bounds.at(row, column) *= rounding_bound(static_cast<double>(tiles_.extent(tiles_.dims.c)) +
                                                 1 + input_terms() + output_terms(row, column) +
                                                 height_.inexact_passes + width_.inexact_passes);
    return bounds;
  }

  Matrix<double> deviations(const TileSums& sums) const {
    const TwoSided squares = TwoSided{height_.output, width_.output}.squares();
    Matrix<double> inner = sums.partial;
    for (std::size_t x = 0; x < inner.values.size(); ++x)
      inner.values[x] += input_terms() * sums.products.values[x];
    Matrix<double> variances = squares.of(inner);
    const Matrix<double> totals = squares.of(squared(sums.total));
    for (int row = 0; row < variances.rows; ++row)
      for (int column = 0; column < variances.columns; ++column)
        variances.at(row, column) += output_terms(row, column) * totals.at(row, column);
    return mapped_matrix<double>(
        variances, [](double variance) { return kUnitRoundoff * std::sqrt(variance); });
  }

 private:
  int input_terms() const { return height_.input_terms + width_.input_terms; }
  int output_terms(int row, int column) const {
    return height_.output_terms[static_cast<std::size_t>(row)] +
           width_.output_terms[static_cast<std::size_t>(column)];
  }

  template <class Read>
  std::vector<Transformed> channels(const TwoSided& map, const Read& read) const {
    const TwoSided largest = map.absolute_values();
    std::vector<Transformed> all;
    for (std::int64_t c = 0; c < tiles_.extent(tiles_.dims.c); ++c) {
      const Matrix<double> values = read(c);
      all.push_back({map.of(values), largest.of(absolute(values))});
    }
    return all;
  }

  const TileReader& tiles_;
  WinogradNumbers height_, width_;
};

}  // namespace

WinogradErrors winograd_errors(const Computation& computation, const Operands& operands,
                               const TensorLayout& output, const WinogradTile& tile) {
  check_winograd(computation.problem, tile);
  const TileReader tiles(computation, operands, tile);
  const ErrorLimits limits(tiles, tile);
  const auto elements = static_cast<std::size_t>(output.elements);
  WinogradErrors errors{std::vector<double>(elements), std::vector<double>(elements)};
  tiles.for_each_sum(
      [&](const Tile& point) { return limits.input(point); },
      [&](const Tile& point) { return limits.weights(point); },
      [&](const Tile& at, const std::vector<Transformed>& input,
          const std::vector<Transformed>& weights) {
        const TileSums sums = limits.sums(input, weights);
        const Matrix<double> bounds = limits.bounds(sums), deviations = limits.deviations(sums);
        tiles.for_each_output(at, output, [&](int row, int column, std::size_t position) {
          errors.bound[position] = bounds.at(row, column);
          errors.deviation[position] = deviations.at(row, column);
        });
      });
  return errors;
}

std::vector<double> winograd_tolerances(const Computation& computation, const Operands& operands,
                                        const TensorLayout& output, const WinogradTile& tile,
                                        const EpilogueOfSums& after) {
  std::vector<double> limits = winograd_errors(computation, operands, output, tile).deviation;
  // Each of up to two products, three additions and the store of the epilogue may round once.
  constexpr double kAdditionsAndStore = 4;
  const Epilogue& epilogue = after.epilogue;
  const double roundings = kAdditionsAndStore + (scales_sums(epilogue) ? 2 : 0);
  const double added = epilogue == Epilogue{} ? 0 : roundings * kUnitRoundoff * after.magnitude;
  const double slope = std::abs(epilogue.alpha) * steepness(epilogue.activation);
  for (double& limit : limits) limit = kMostDeviations * slope * limit + added;
  return limits;
}

}  // namespace tileplan
