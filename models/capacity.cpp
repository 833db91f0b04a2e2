// SPDX-License-Identifier: Apache-2.0
// Each capacity rule counts the footprints of a tile in its own way.
#include "capacity.h"

#include <algorithm>
#include <cmath>

#include "footprint.h"
#include "integers.h"

namespace tileplan {

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
    const auto line = static_cast<double>(storage.line_bytes / tensor.element_bytes());
    const std::int64_t elements = std::llround(lines(tensor, layout, tile, line) * line);
    return std::max(elements, footprint(tensor, tile)) * tensor.element_bytes();
  };
  const TensorAccess& weights = computation.tensor(Operand::weights);
  const std::int64_t bytes = bytes_in_lines(Operand::input, storage.input) +
                             footprint(weights, tile) * weights.element_bytes() +
                             bytes_in_lines(Operand::output, storage.output);
  return bytes / computation.unit_bytes();
}

std::int64_t crowded_ways(const Computation& computation, const Tile& tile,
                          const Storage& storage) {
  constexpr std::int64_t kTolerated = 4;  // At most one cache line in this many may overflow.
  if (storage.sets == 0) return 0;
  const TensorAccess& input = computation.tensor(Operand::input);
  const std::int64_t line = storage.line_bytes / input.element_bytes();
  std::int64_t all = 0, overflow = 0, fullest = 0;
  for (const std::int64_t load : lines_in_sets(input, storage.input, tile, line, storage.sets)) {
    all += load;
    overflow += std::max<std::int64_t>(0, load - storage.ways);
    fullest = std::max(fullest, load);
  }
  return kTolerated * overflow > all ? fullest : 0;
}

std::int64_t sets_of(const CacheLevel& cache) {
  return std::max<std::int64_t>(1, cache.capacity_bytes / (cache.line_bytes * cache.ways));
}

Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output) {
  return {.input = input,
          .output = output,
          .line_bytes = cache.line_bytes,
          .sets = is_first ? sets_of(cache) : 0,
          .ways = cache.ways};
}

CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes) {
  return {.kind = kind, .way_elements = cache.capacity_bytes / cache.ways / unit_bytes};
}

double usable_bytes(const CacheLevel& cache) {
  return cache.usable * static_cast<double>(cache.capacity_bytes);
}

double usable_elements(const CacheLevel& cache, std::int64_t unit_bytes) {
  return usable_bytes(cache) / static_cast<double>(unit_bytes);
}

double held_elements(const Machine& machine, std::size_t at, int cores) {
  const VectorUnit& unit = machine.vector;
  double most = static_cast<double>(cores) * unit.registers * unit.lanes;
  for (std::size_t l = 0; l <= at; ++l) {
    const CacheLevel& cache = machine.caches[l];
    most = std::max(most, caches_of(cache, cores) * usable_elements(cache, bytes_of(unit.element)));
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
