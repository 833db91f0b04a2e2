// SPDX-License-Identifier: Apache-2.0
// This file divides I/O lower bounds by bandwidths and minimises compute over register tiles. It
// also computes the roofline.
#include "prediction_bound.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "bounds.h"
#include "capacity.h"
#include "cost.h"
#include "fused_conversion.h"
#include "kernels.h"
#include "link.h"
#include "nest.h"
#include "reduction.h"
#include "throughput.h"

namespace tileplan {
namespace {

/// Returns the register tiles with vectors along `vectorised` that fit the registers.
std::vector<RegisterTile> register_tiles(const Computation& computation, const Machine& machine,
                                         Dim vectorised) {
  const Dim channel = weights_dim(computation, vectorised);
  const bool of_pixels = channel != vectorised;
  const std::int64_t most_channels = of_pixels ? computation.extent(channel) : 0;
  std::vector<RegisterTile> tiles;
  for (int pixels = 1; pixels <= most_pixels(machine.vector); ++pixels)
    for (int vectors = 1; vectors <= machine.vector.registers; ++vectors)
      for (int channels = of_pixels ? 1 : 0;
           channels <= std::min<std::int64_t>(pixels, most_channels); ++channels)
        tiles.push_back({.pixels = pixels,
                         .vectors = vectors,
                         .vector_input = is_present(computation.tensor(Operand::input), vectorised),
                         .channels = channels});
  std::erase_if(tiles, [&](const RegisterTile& tile) {
    return (of_pixels && tile.pixels % tile.channels != 0) || !fits_registers(tile, machine.vector);
  });
  return tiles;
}

/// Returns the least seconds that one core computes with vectors along `vectorised`. It assumes
/// that register tiles of any size cover the outputs exactly. A pair of tile sizes costs a mean of
/// both, so the better size alone is a bound.
double least_compute(const Computation& computation, const Machine& machine, Dim vectorised) {
  const Tile extents = covered_extents(computation, vectorised, machine.vector.lanes);
  double outputs = 1, steps = 1;
  for (int d = 0; d < computation.dims(); ++d) {
    const bool reduction = computation.role(Dim{d}) == Role::reduction;
    (reduction ? steps : outputs) *= static_cast<double>(extents[Dim{d}]);
  }
  const double read_steps = array_share(computation, vectorised) * steps;
  double least = std::numeric_limits<double>::infinity();
  for (const RegisterTile& tile : register_tiles(computation, machine, vectorised)) {
    const double call = CallCycles(kernel_rate(tile, machine)).of(read_steps);
    least = std::min(least, call / (tile.pixels * tile.vectors));
  }
  return outputs / machine.vector.lanes * least / machine.clock.hertz;
}

double least_compute(const Computation& computation, const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  for (const Dim vectorised : vectorised_dims(computation, machine.vector.lanes))
    least = std::min(least, least_compute(computation, machine, vectorised));
  return least;
}

double elements_of(const TensorAccess& tensor) {
  double elements = 1;
  for (const DataDim& data : tensor.data) elements *= static_cast<double>(data.extent);
  return elements;
}

/// Returns the least array_share() of all dimensions that may be vectorised: the least share of the
/// multiply-adds that kernels cannot skip as padding.
double least_array_share(const Computation& computation, const Machine& machine) {
  double share = 1;
  for (const Dim vectorised : vectorised_dims(computation, machine.vector.lanes))
    share = std::min(share, array_share(computation, vectorised));
  return share;
}

/// Returns the share of the loads in the bound that every schedule makes. The rest may be loads of
/// padding, or of weights whose taps only read padding, and kernels skip both.
double loaded_share(const Computation& computation, const Machine& machine) {
  return std::min(stored_share(computation), least_array_share(computation, machine));
}

/// Holds the values that the bounds of all levels use.
struct LeastTraffic {
  const Computation& computation;
  const Machine& machine;
  int threads;
  CacheCount caches;
  double stored = 0;   ///< Counts the units (Computation::unit_bytes) of all tensors together.
  double outputs = 0;  ///< Counts the elements of the output.
  double loaded = 1;   ///< Gives the share of the bound's loads that every schedule makes.
  /// Gives the bytes by which finished outputs are smaller than sums if kernels convert them in
  /// registers.
  double smaller = 0;

  LeastTraffic(const Computation& of, const Machine& on, int by, CacheCount counted)
      : computation(of), machine(on), threads(by), caches(counted), loaded(loaded_share(of, on)) {
    const TensorAccess& output = of.tensor(Operand::output);
    outputs = elements_of(output);
    if (has_fused_conversion(of, on.vector))
      smaller = outputs *
                static_cast<double>(output.element_bytes() - bytes_of(types_of(of.problem).output));
    for (const TensorAccess& tensor : of.tensors)
      stored += elements_of(tensor) * static_cast<double>(tensor.element_bytes());
    stored = (stored - smaller) / static_cast<double>(of.unit_bytes());
  }

  /// Returns one capacity for each share (occupancies()) over which predictions take the mean. Each
  /// is at least the capacity of any level inside, which may be larger when each core has its own.
  std::vector<double> capacities(std::size_t at) const {
    const double held = held_units(machine, at, threads, computation.unit_bytes(), caches);
    const std::span<const double> shares = occupancies(machine, at);
    if (shares.size() == 1) return {held};
    std::vector<double> all;
    const double inside = held_units(machine, at - 1, threads, computation.unit_bytes(), caches);
    for (const double share : shares) all.push_back(std::max(share * held, inside));
    return all;
  }

  /// Returns a lower bound of the seconds on the link that fills level `at`, if this level holds
  /// `held` units and non-temporal stores write `streamed` elements of the output. These
  /// elements are not read for ownership, and they cross the link to memory even when the caches
  /// hold everything.
  double seconds(std::size_t at, double held, double streamed) const {
    const CacheLevel& cache = machine.caches[at];
    if (cache.fill_bytes_per_second <= 0) return 0;
    const auto unit = static_cast<double>(computation.unit_bytes());
    const auto sum = static_cast<double>(computation.tensor(Operand::output).element_bytes());
    double least = 0;
    if (stored > held) {
      const double loads = std::max(0.0, lower_bound(computation, held).bound - streamed);
      // Streamed outputs are not converted in registers.
      const double saved = streamed > 0 ? 0 : smaller;
      least = least_link_seconds(cache, std::max(0.0, loaded * unit * loads - saved),
                                 sum * (outputs - streamed) - saved);
    }
    if (at + 1 == machine.caches.size()) least += streamed_seconds(machine, sum * streamed);
    return least / link_speed(machine, at, threads);
  }
};

/// Returns lower bounds of the seconds on the link into each level, innermost first, when
/// non-temporal stores write `streamed` elements of the output.
std::vector<double> levels_seconds(const LeastTraffic& least, double streamed) {
  std::vector<double> seconds(least.machine.caches.size(), 0);
  for (std::size_t at = 0; at < seconds.size(); ++at) {
    const std::vector<double> capacities = least.capacities(at);
    for (const double held : capacities)
      seconds[at] += least.seconds(at, held, streamed) / static_cast<double>(capacities.size());
  }
  return seconds;
}

/// Returns PredictionBound::busy_shares: for each level, the share of its capacities that are too
/// small for all tensors together.
std::vector<double> busy_shares(const LeastTraffic& least) {
  std::vector<double> shares;
  for (std::size_t at = 0; at < least.machine.caches.size(); ++at) {
    const std::vector<double> capacities = least.capacities(at);
    const auto busy =
        std::ranges::count_if(capacities, [&](double held) { return least.stored > held; });
    shares.push_back(static_cast<double>(busy) / static_cast<double>(capacities.size()));
  }
  return shares;
}

}  // namespace

void PredictionBound::sharpen(const std::vector<double>& seconds) {
  for (std::size_t l = 0; l < level_seconds.size(); ++l)
    level_seconds[l] =
        std::max(level_seconds[l], busy_shares[l] * (loaded_share * seconds[l] - saved_seconds[l]));
}

double PredictionBound::seconds(double exponent) const {
  return std::min(overlap_times(compute_seconds, level_seconds, exponent),
                  overlap_times(compute_seconds, streamed_seconds, exponent));
}

PredictionBound prediction_bound(const Computation& computation, const Machine& machine,
                                 int threads) {
  PredictionBound bound;
  bound.compute_seconds = least_compute(computation, machine) / threads;
  if (machine.narrow)
    bound.compute_seconds = std::min(
        bound.compute_seconds, least_compute(computation, with_narrow_unit(machine)) / threads);
  const LeastTraffic least(computation, machine, threads, caches_of);
  bound.loaded_share = least.loaded;
  bound.level_seconds = levels_seconds(least, 0);
  bound.streamed_seconds = levels_seconds(least, least.outputs);
  bound.busy_shares = busy_shares(least);
  for (const CacheLevel& cache : machine.caches)
    bound.saved_seconds.push_back(link_seconds(cache, least.smaller, least.smaller));
  return bound;
}

double roofline_seconds(const Computation& computation, const Machine& machine, int threads) {
  const double computing = least_array_share(computation, machine) * flops(computation) /
                           (threads * peak_flops(machine));
  const LeastTraffic least(computation, machine, threads, caches_used);
  const auto longest = [&](double streamed) {
    double seconds = computing;
    for (const double level : levels_seconds(least, streamed)) seconds = std::max(seconds, level);
    return seconds;
  };
  return std::min(longest(0), longest(least.outputs));
}

}  // namespace tileplan
