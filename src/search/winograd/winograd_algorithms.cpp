// SPDX-License-Identifier: Apache-2.0
// Bounds need only the sizes of a convolution and the rates and caches of the machine, so most
// algorithms are excluded without a search.
#include "winograd_algorithms.h"

#include <algorithm>
#include <limits>

#include "capacity.h"
#include "cost.h"
#include "integers.h"
#include "link.h"
#include "throughput.h"
#include "winograd_error.h"
#include "winograd_points.h"
#include "winograd_text.h"
#include "winograd_transforms.h"

namespace tileplan {
namespace {

/// Holds the matrices and the error factors of F(m, r) for one direction.
struct DirectionAlgorithm {
  WinogradMatrices matrices;
  ErrorFactors error;
};

/// Returns F(m, r) for the r taps of `axis` and every supported m. If r is 1, F(1, 1) is included.
std::vector<DirectionAlgorithm> direction_algorithms(const Axis& axis) {
  std::vector<DirectionAlgorithm> all;
  const auto add = [&](WinogradMatrices matrices) {
    const ErrorFactors error = error_factors(matrices);
    all.push_back({std::move(matrices), error});
  };
  if (axis.filter == 1) add(winograd_of({}));
  for (const WinogradSize size : winograd_sizes())
    if (size.taps == axis.filter) add(winograd_of(size));
  return all;
}

/// Calls visit(height, width, relative error bound) for every pair of an F(m, r) for the height and
/// one for the width.
template <class Visit>
void visit_algorithms(const ConvShape& shape, const Visit& visit) {
  const std::vector<DirectionAlgorithm> heights = direction_algorithms(shape.height);
  const std::vector<DirectionAlgorithm> widths =
      shape.width.filter == shape.height.filter ? heights : direction_algorithms(shape.width);
  const double taps = static_cast<double>(shape.height.filter * shape.width.filter);
  for (const DirectionAlgorithm& height : heights)
    for (const DirectionAlgorithm& width : widths)
      visit(height.matrices, width.matrices,
            relative_error_bound(height.error, width.error, taps, shape.c / shape.g));
}

/// Returns the least cycles of any register tile per vector of outputs, if each call sums over
/// `channels` input channels.
double least_cycles(std::int64_t channels, const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  for (int pixels = 1; pixels <= machine.vector.registers; ++pixels)
    for (int vectors = 1; vectors <= machine.vector.registers; ++vectors) {
      const RegisterTile tile{.pixels = pixels, .vectors = vectors};
      if (!fits_registers(tile, machine.vector)) break;
      const double call = CallCycles(kernel_rate(tile, machine)).of(static_cast<double>(channels));
      least = std::min(least, call / (pixels * vectors));
    }
  return least;
}

/// Computes the bounds of all algorithms of one convolution.
class Bounds {
 public:
  Bounds(const ConvShape& shape, const Machine& machine)
      : shape_(shape),
        machine_(machine),
        inputs_(ceil_div(shape.c / shape.g, machine.vector.lanes) * shape.g),
        outputs_(ceil_div(shape.k / shape.g, machine.vector.lanes) * shape.g),
        cycles_(least_cycles(shape.c / shape.g, machine)) {}

  AlgorithmBound of(const WinogradTiles& tiles, const WinogradTile& tile,
                    const TransformRate& rate) const {
    const TileCounts counts = tile_counts(shape_, tiles);
    const double count = static_cast<double>(shape_.n * counts.rows * counts.columns);
    const double input =
        seconds(count * static_cast<double>(inputs_) * least(rate.in_first, rate.in_second));
    const double products =
        seconds(count * static_cast<double>(outputs_) * tile.products() * cycles_);
    const double output =
        seconds(count * static_cast<double>(outputs_) * least(rate.out_first, rate.out_second));
    const std::int64_t channels = shape_.c / shape_.g * shape_.k;
    const double weights =
        static_cast<double>(tile.products()) * kFloatBytes * static_cast<double>(channels);
    double weight_seconds = 0, output_seconds = 0;
    for (std::size_t at = 0; at < machine_.caches.size(); ++at) {
      const double busy = busy_share(at, weights);
      const CacheLevel& cache = machine_.caches[at];
      const double speed = link_speed(machine_, at, machine_.cores);
      weight_seconds = std::max(weight_seconds, busy * link_seconds(cache, weights, 0) / speed);
      output_seconds = std::max(
          output_seconds, busy * link_seconds(cache, stored_outputs(), stored_outputs()) / speed);
    }
    return {.algorithm = outputs_mark(tiles),
            .compute_bound = input + products + output,
            .traffic_bound = weight_seconds + output_seconds,
            .bound = (1 - kRounding) * (input + std::max(products, weight_seconds) +
                                        std::max(output, output_seconds))};
  }

 private:
  static constexpr double kFloatBytes = 4;

  static double least(double first, double second) { return std::min(first, second); }
  double seconds(double cycles) const { return cycles / machine_.clock.hertz / machine_.cores; }
  int users(const CacheLevel& cache) const { return caches_of(cache, machine_.cores); }

  double stored_outputs() const {
    return kFloatBytes * static_cast<double>(shape_.n * shape_.k * shape_.height.out) *
           static_cast<double>(shape_.width.out);
  }
  double stored_inputs() const {
    return kFloatBytes * static_cast<double>(shape_.n * shape_.c * shape_.height.in) *
           static_cast<double>(shape_.width.in);
  }

  /// Predictions take the mean over several capacities of a cache. Returns the share of these that
  /// cannot hold the weights and the activations of the cores that use this cache.
  double busy_share(std::size_t at, double weights) const {
    const CacheLevel& cache = machine_.caches[at];
    const double stored = weights + (stored_inputs() + stored_outputs()) / users(cache);
    const std::span<const double> shares = occupancies(machine_, at);
    const auto busy = std::ranges::count_if(
        shares, [&](double share) { return stored > share * usable_bytes(cache); });
    return static_cast<double>(busy) / static_cast<double>(shares.size());
  }

  const ConvShape& shape_;
  const Machine& machine_;
  std::int64_t inputs_, outputs_;  ///< Count the vectors of channels of all groups.
  double cycles_;
};

}  // namespace

std::vector<WinogradAlgorithm> winograd_algorithms(const ConvShape& shape, const Machine& machine,
                                                   const Options& options) {
  const Bounds bounds(shape, machine);
  std::vector<WinogradAlgorithm> all;
  visit_algorithms(shape, [&](const WinogradMatrices& height, const WinogradMatrices& width,
                              double relative_error) {
    if (relative_error > options.max_error) return;
    WinogradAlgorithm algorithm{.tiles = {.outputs = {height.outputs, width.outputs}},
                                .tile = {height, width}};
    algorithm.rate = transform_rate(algorithm.tile, machine);
    algorithm.bound = bounds.of(algorithm.tiles, algorithm.tile, algorithm.rate);
    algorithm.bound.relative_error = relative_error;
    all.push_back(std::move(algorithm));
  });
  std::ranges::stable_sort(all, {}, [](const WinogradAlgorithm& each) { return each.bound.bound; });
  return all;
}

double least_relative_error(const ConvShape& shape) {
  double least = std::numeric_limits<double>::infinity();
  visit_algorithms(shape, [&](const WinogradMatrices&, const WinogradMatrices&,
                              double relative_error) { least = std::min(least, relative_error); });
  return least;
}

}  // namespace tileplan
