// SPDX-License-Identifier: Apache-2.0
// This file divides I/O lower bounds by bandwidths and minimises compute over register tiles.
#include "prediction_bound.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "bounds.h"
#include "cache_pressure.h"
#include "capacity.h"
#include "cost.h"
#include "kernels.h"
#include "link.h"
#include "nest.h"
#include "reduction.h"
#include "throughput.h"

namespace tileplan {
namespace {

/// Returns the register tiles that vectorise `vectorised` and fit the registers.
std::vector<RegisterTile> register_tiles(const Computation& computation, const Machine& machine,
                                         Dim vectorised) {
  const Dim channel = weights_dim(computation, vectorised);
  const bool of_pixels = channel != vectorised;
  const std::int64_t most_channels = of_pixels ? computation.extent(channel) : 0;
  std::vector<RegisterTile> tiles;
  for (int pixels = 1; pixels <= machine.vector.registers; ++pixels)
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

/// Counts calls as if register tiles of any size covered the outputs exactly. A pair of tiles then
/// costs the mean of both tiles.
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
    const KernelRate rate = kernel_rate(tile, machine);
    const double call = rate.cycles_per_call + read_steps * rate.cycles_per_step;
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

/// Returns the least share of reduction steps that read no padding, over all dims of vectors.
double least_array_share(const Computation& computation, const Machine& machine) {
  double share = 1;
  for (const Dim vectorised : vectorised_dims(computation, machine.vector.lanes))
    share = std::min(share, array_share(computation, vectorised));
  return share;
}

/// Returns the share of the bounded loads that every schedule makes. No schedule loads padding, or
/// weights whose taps only meet padding.
double loaded_share(const Computation& computation, const Machine& machine) {
  return std::min(stored_share(computation), least_array_share(computation, machine));
}

/// Returns the least seconds of each level, innermost first. Outputs that may be streamed are not
/// read for ownership and cross only the link to memory.
std::vector<double> levels_seconds(const Computation& computation, const Machine& machine,
                                   int threads) {
  double stored = 0;
  for (const TensorAccess& tensor : computation.tensors) stored += elements_of(tensor);
  const double outputs = elements_of(computation.tensor(Operand::output));
  const double streamed = crowds_caches(computation, machine, threads) ? outputs : 0;
  const auto bytes = static_cast<double>(computation.unit_bytes());
  const double loaded = loaded_share(computation, machine);
  std::vector<double> seconds(machine.caches.size(), 0);
  for (std::size_t at = 0; at < seconds.size(); ++at) {
    const CacheLevel& cache = machine.caches[at];
    const double held = held_elements(machine, at, threads);
    if (stored <= held || cache.fill_bytes_per_second <= 0) continue;
    const double loads = std::max(0.0, lower_bound(computation, held).bound - streamed);
    const double stores = at + 1 == seconds.size() ? outputs : outputs - streamed;
    seconds[at] =
        link_seconds(cache, loaded * bytes * loads, bytes * stores) / caches_of(cache, threads);
  }
  return seconds;
}

}  // namespace

void PredictionBound::sharpen(const std::vector<double>& seconds) {
  for (std::size_t l = 0; l < level_seconds.size(); ++l)
    level_seconds[l] = std::max(level_seconds[l], loaded_share * seconds[l]);
}

double PredictionBound::seconds(double exponent) const {
  return overlap_times(compute_seconds, level_seconds, exponent);
}

PredictionBound prediction_bound(const Computation& computation, const Machine& machine,
                                 int threads) {
  PredictionBound bound;
  bound.loaded_share = loaded_share(computation, machine);
  bound.compute_seconds = least_compute(computation, machine) / threads;
  if (machine.narrow)
    bound.compute_seconds = std::min(
        bound.compute_seconds, least_compute(computation, with_narrow_unit(machine)) / threads);
  bound.level_seconds = levels_seconds(computation, machine, threads);
  return bound;
}

double roofline_seconds(const Computation& computation, const Machine& machine, int threads) {
  double longest = least_array_share(computation, machine) * flops(computation) /
                   (threads * peak_flops(machine));
  for (const double seconds : levels_seconds(computation, machine, threads))
    longest = std::max(longest, seconds);
  return longest;
}

}  // namespace tileplan
