// SPDX-License-Identifier: Apache-2.0
// This file adds the footprints of a tile by each capacity rule, counts cache lines per set, and
// computes capacities in units.
#include "capacity.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

/// Returns the expected number of `lines` that exceed the ways of their sets, when each line falls
/// into one of `sets` sets with equal probability. If there are several sets, the number of lines
/// in one set is treated as Poisson distributed.
double expected_overflow(std::int64_t lines, std::int64_t sets, std::int64_t ways) {
  if (lines <= ways) return 0;
  if (sets == 1) return static_cast<double>(lines - ways);
  const double mean = static_cast<double>(lines) / static_cast<double>(sets);
  double probability = std::exp(-mean), kept = 0, below = 0;
  for (std::int64_t in_set = 0; in_set < ways; ++in_set) {
    kept += static_cast<double>(in_set) * probability;
    below += probability;
    probability *= mean / static_cast<double>(in_set + 1);
  }
  kept += static_cast<double>(ways) * (1 - below);
  return std::max(0.0, static_cast<double>(sets) * (mean - kept));
}

}  // namespace

std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule) {
  Tile box = tile;
  if (rule.kind == Capacity::lru2 && next)
    box[*next] = std::min(2 * tile[*next], std::max(tile[*next], computation.extent(*next)));
  const std::int64_t unit = computation.unit_bytes();
  std::int64_t all = 0;
  for (const TensorAccess& tensor : computation.tensors) {
    const std::int64_t units = tensor.element_bytes() / unit * footprint(tensor, box);
    all += rule.kind == Capacity::ways ? round_up(units, rule.way_elements) : units;
  }
  return all;
}

std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage) {
  const auto bytes_in_lines = [&](Operand operand, const TensorLayout& layout) {
    const TensorAccess& tensor = computation.tensor(operand);
    const std::int64_t line_elements = storage.line_bytes / tensor.element_bytes();
    const auto line = static_cast<double>(line_elements);
    const std::int64_t elements = std::llround(lines(tensor, layout, tile, line) * line);
    return std::max(elements, footprint(tensor, tile)) * tensor.element_bytes();
  };
  const TensorAccess& weights = computation.tensor(Operand::weights);
  const std::int64_t bytes =
      bytes_in_lines(Operand::input, storage.input) +
      (storage.weights != nullptr ? bytes_in_lines(Operand::weights, *storage.weights)
                                  : footprint(weights, tile) * weights.element_bytes()) +
      bytes_in_lines(Operand::output, storage.output);
  return bytes / computation.unit_bytes();
}

CrowdedSet crowded_set(const Computation& computation, const Tile& tile, const Storage& storage) {
  // Limits the share of cache lines that may overflow. The limit of weights is lower, because
  // weights are read again in the same order, so that LRU evicts every line of a set with too many
  // lines.
  constexpr double kTolerated = 0.25, kToleratedWeights = 0.1;
  if (storage.sets == 0) return {};
  for (const auto& [operand, stored] : {std::pair{Operand::input, &storage.input},
                                        {Operand::output, &storage.output},
                                        {Operand::weights, storage.weights}}) {
    if (stored == nullptr) continue;
    const TensorAccess& tensor = computation.tensor(operand);
    const TensorLayout& layout = *stored;
    if (footprint(tensor, tile) <= storage.ways) continue;
    const std::int64_t line = storage.line_bytes / tensor.element_bytes();
    double all = 0, overflow = 0;
    std::int64_t fullest = 0;
    for (const std::int64_t load : lines_in_sets(tensor, layout, tile, line, storage.sets)) {
      all += static_cast<double>(load);
      overflow += expected_overflow(load, storage.colours, storage.ways);
      fullest = std::max(fullest, load);
    }
    const double tolerated = operand == Operand::weights ? kToleratedWeights : kTolerated;
    if (overflow >= tolerated * all) return {operand, ceil_div(fullest, storage.colours)};
  }
  return {};
}

std::int64_t sets_of(const CacheLevel& cache) {
  return std::max<std::int64_t>(1, cache.capacity_bytes / (cache.line_bytes * cache.ways));
}

Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output, const TensorLayout* weights) {
  constexpr std::int64_t kPageBytes = 4096;
  const std::int64_t all = sets_of(cache);
  const std::int64_t in_page = std::min(all, kPageBytes / cache.line_bytes);
  const std::int64_t known = is_first ? all : cache.hashed ? 1 : in_page;
  return {.input = input,
          .output = output,
          .line_bytes = cache.line_bytes,
          .sets = known,
          .ways = cache.ways,
          .colours = all / known,
          .weights = weights};
}

CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes) {
  return {.kind = kind, .way_elements = cache.capacity_bytes / cache.ways / unit_bytes};
}

double usable_bytes(const CacheLevel& cache) {
  return cache.usable * static_cast<double>(cache.capacity_bytes);
}

double usable_units(const CacheLevel& cache, std::int64_t unit_bytes) {
  return usable_bytes(cache) / static_cast<double>(unit_bytes);
}

double held_units(const Machine& machine, std::size_t at, int cores, std::int64_t unit_bytes,
                  CacheCount caches) {
  const VectorUnit& unit = machine.vector;
  const std::int64_t register_bytes = bytes_of(unit.element) * unit.registers * unit.lanes;
  double most = static_cast<double>(cores * register_bytes) / static_cast<double>(unit_bytes);
  for (std::size_t l = 0; l <= at; ++l) {
    const CacheLevel& cache = machine.caches[l];
    most = std::max(most, caches(cache, cores) * usable_units(cache, unit_bytes));
  }
  return std::max(1.0, most);
}

std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways) {
  std::vector<std::int64_t> load(static_cast<std::size_t>(sets), 0);
  for (const std::int64_t address : lines)
    ++load[static_cast<std::size_t>(address / line_bytes % sets)];
  std::int64_t overflow = 0;
  for (const std::int64_t in_set : load) overflow += std::max<std::int64_t>(0, in_set - ways);
  return overflow;
}

}  // namespace tileplan
