// SPDX-License-Identifier: Apache-2.0
// This file compares the loops outside a tile with the innermost loops that define each class.
#include "order_class.h"

#include <algorithm>

#include "cores.h"
#include "nest.h"

namespace tileplan {
namespace {

/// Returns the dimensions of the loops around the tile `held`, innermost first and each once,
/// without loops of one trip.
std::vector<Dim> dims_around(const Nest& nest, const Tile& held, int dims) {
  const auto matches = [&](std::size_t place) {
    const Tile box = box_inside(nest, place);
    for (int d = 0; d < dims; ++d)
      if (box[Dim{d}] != 0 && box[Dim{d}] != held[Dim{d}]) return false;
    return true;
  };
  std::size_t place = 0;
  while (place < nest.loops.size() && !matches(place)) ++place;
  std::vector<Dim> around;
  while (place-- > 0) {
    const NestLoop& loop = nest.loops[place];
    const bool active = loop.is_lambda() || loop.trips > 1;
    if (active && std::find(around.begin(), around.end(), loop.dim) == around.end())
      around.push_back(loop.dim);
  }
  return around;
}

/// Returns the name of the class of loop orders that agrees with `around`. If no class agrees,
/// returns the first dimension of `around` in parentheses. Returns "-" if `around` is empty.
std::string class_of(const OrderClasses& classes, const Computation& computation,
                     const std::vector<Dim>& around) {
  if (around.empty()) return "-";
  for (const OrderClass& each : classes.classes) {
    const auto [prefix, dim] = std::ranges::mismatch(each.prefix, around);
    if (prefix == each.prefix.end() || dim == around.end()) return each.name;
  }
  std::string dominated(1, '(');
  return dominated.append(computation.name(around.front())).append(1, ')');
}

}  // namespace

std::vector<Tile> cached_tiles(const Computation& computation, const Schedule& schedule,
                               const Machine& machine, const PredictionRules& rules) {
  std::vector<Tile> tiles;
  for (std::size_t at = 0; at < machine.caches.size(); ++at)
    tiles.push_back(cache_traffic(computation, schedule, machine, at, rules).flat.cut);
  return tiles;
}

std::string order_class(const Computation& computation, const Schedule& schedule,
                        const Machine& machine, const OrderClasses& classes,
                        const std::vector<Tile>& tiles) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  const Cores cores = cores_of(computation, nest, machine.cores);
  std::string text;
  for (std::size_t at = 0; at < tiles.size(); ++at) {
    const Nest& shared = view_of(cores, machine.caches[at]).nest;
    const std::vector<Dim> around = dims_around(shared, tiles[at], computation.dims());
    text.append(at == 0 ? "" : "/").append(class_of(classes, computation, around));
  }
  return text;
}

}  // namespace tileplan
