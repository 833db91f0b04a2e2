// SPDX-License-Identifier: Apache-2.0
// Weights are transformed in double precision, because their errors would reach all outputs.
#include "winograd_convolution.h"

#include <bit>
#include <string>

#include "nest.h"
#include "repack.h"
#include "tileplan/error.h"
#include "winograd_error.h"
#include "winograd_products.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

const ConvShape& shape_of(const WinogradConvolution& convolution) {
  return std::get<ConvShape>(convolution.computation.problem);
}

TileDirection direction(Operand operand, const Axis& axis, const WinogradMatrices& matrices) {
  const std::int64_t tiles = (axis.out + matrices.outputs - 1) / matrices.outputs;
  if (operand == Operand::output)
    return {.tiles = tiles,
            .origin = 0,
            .step = matrices.outputs,
            .extent = axis.out,
            .size = matrices.outputs};
  return {.tiles = tiles,
          .origin = -axis.pad_before,
          .step = matrices.outputs,
          .extent = axis.in,
          .size = matrices.inputs()};
}

/// Returns the layout of an activation tensor. Throws Error when its channels do not form the
/// vectors that transforms need.
TensorLayout checked_layout(const Computation& convolution, const Schedule& schedule,
                            Operand operand, int lanes, Addressing addressing) {
  const bool by_index = addressing == Addressing::by_index;
  const Layout given = operand == Operand::input ? schedule.in : schedule.out;
  const Layout layout = by_index ? given : layout_in_loops(convolution, schedule, {}, operand);
  const Dim channel = convolution.dim(operand == Operand::input ? "c" : "k");
  TensorLayout result = layout_of(convolution, operand, layout);
  if (by_index ? result.axes[kChannelDim].block % lanes == 0
               : holds_vectors(convolution.tensor(operand), result, channel, lanes))
    return result;
  throw Error("layout: vectors of " + std::to_string(lanes) + " along " +
              convolution.name(channel) + " are not contiguous in " + to_string(layout) +
              "; they must be for the transforms of a Winograd convolution");
}

/// Transforms the weights of one pair of an input and an output channel.
class WeightTransform {
 public:
  explicit WeightTransform(const WinogradTile& tile)
      : height_(matrix_of_doubles(tile.height.weights)),
        width_(matrix_of_doubles(tile.width.weights)),
        middle_(static_cast<std::size_t>(height_.rows) * static_cast<std::size_t>(width_.columns)) {
  }

  int products() const { return height_.rows * width_.rows; }
  int taps() const { return height_.columns * width_.columns; }

  /// Writes the transformed weights of `taps` to `to`, at distances of `stride` elements.
  void operator()(const float* taps, float* to, std::int64_t stride) {
    for (int row = 0; row < height_.rows; ++row)
      for (int s = 0; s < width_.columns; ++s) middle(row, s) = column_sum(row, taps + s);
    for (int row = 0; row < height_.rows; ++row)
      for (int column = 0; column < width_.rows; ++column, to += stride)
        *to = static_cast<float>(row_sum(row, column));
  }

 private:
  double& middle(int row, int s) {
    return middle_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_.columns) +
                   static_cast<std::size_t>(s)];
  }
  double column_sum(int row, const float* taps) const {
    double sum = 0;
    for (int r = 0; r < height_.columns; ++r)
      sum += height_.at(row, r) * static_cast<double>(taps[std::ptrdiff_t{r} * width_.columns]);
    return sum;
  }
  double row_sum(int row, int column) {
    double sum = 0;
    for (int s = 0; s < width_.columns; ++s) sum += middle(row, s) * width_.at(column, s);
    return sum;
  }

  Matrix<double> height_, width_;
  std::vector<double> middle_;
};

}  // namespace

TileDirection WinogradConvolution::rows(Operand operand) const {
  return direction(operand, shape_of(*this).height, tile.height);
}

TileDirection WinogradConvolution::columns(Operand operand) const {
  return direction(operand, shape_of(*this).width, tile.width);
}

WinogradConvolution winograd_convolution(const Computation& convolution, const Schedule& schedule,
                                         int lanes, Addressing addressing) {
  const auto layout = [&](Operand operand) {
    return checked_layout(convolution, schedule, operand, lanes, addressing);
  };
  WinogradTile tile = winograd_tile(convolution.problem, *schedule.winograd);
  return {
      .computation = convolution,
      .products = winograd_products(std::get<ConvShape>(convolution.problem), *schedule.winograd),
      .tile = std::move(tile),
      .input = layout(Operand::input),
      .output = layout(Operand::output)};
}

std::vector<float> transformed_weights(const WinogradConvolution& convolution,
                                       std::span<const float> weights) {
  const Computation& products = convolution.products;
  const std::int64_t groups = products.extent(products.dim("g")),
                     outputs = products.extent(products.dim("k")),
                     inputs = products.extent(products.dim("c"));
  WeightTransform transform(convolution.tile);
  std::vector<float> result(static_cast<std::size_t>(groups * outputs * inputs) *
                            static_cast<std::size_t>(transform.products()));
  const float* taps = weights.data();
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t k = 0; k < outputs; ++k)
      for (std::int64_t c = 0; c < inputs; ++c, taps += transform.taps())
        transform(taps,
                  &result[static_cast<std::size_t>(
                      (g * transform.products() * inputs + c) * outputs + k)],
                  inputs * outputs);
  return result;
}

std::uint64_t transform_number(const WinogradTile& tile) {
  // This is FNV-1a with numbers in place of bytes, as in WeightsOrder::fingerprint(). It hashes the
  // matrices G, so that weights which other matrices transformed are noticed. The result is never
  // 0, which stands for weights that no matrix transformed.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const WinogradMatrices* direction : {&tile.height, &tile.width})
    for (const double value : matrix_of_doubles(direction->weights).values)
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
  return hash == 0 ? 1 : hash;
}

}  // namespace tileplan
