// SPDX-License-Identifier: Apache-2.0
// This file answers questions about data movement in the names that a problem gives its loops.
#include <algorithm>
#include <utility>

#include "bounds.h"
#include "clipped.h"
#include "computation.h"
#include "footprint.h"
#include "integers.h"
#include "movement.h"
#include "orders.h"
#include "tileplan/error.h"
#include "tileplan/movement.h"
#include "tileplan/text.h"
#include "words.h"

namespace tileplan {
namespace {

/// Returns the loop that is called `name`. `what` says what the name is for.
Dim loop_named(const std::string& name, const Computation& computation, const std::string& what) {
  const auto found = std::find(computation.names.begin(), computation.names.end(), name);
  if (found == computation.names.end())
    throw Error(what + ": " + quoted(name) + "; must be one of " +
                comma_separated(computation.names));
  return Dim{static_cast<int>(found - computation.names.begin())};
}

/// Returns `sizes` with those replaced that `given` names. Each must be from 1 to that of `most`.
Tile sizes_of(const std::map<std::string, std::int64_t>& given, const Computation& computation,
              const std::string& what, std::pair<Tile, Tile> sizes_and_most) {
  auto [sizes, most] = sizes_and_most;
  for (const auto& [name, size] : given) {
    const Dim dim = loop_named(name, computation, what);
    if (size < 1 || size > most[dim])
      throw Error(what + ": the size of " + name + " is " + std::to_string(size) + "; must be " +
                  (size < 1 ? "at least 1" : "at most " + std::to_string(most[dim])));
    sizes[dim] = size;
  }
  return sizes;
}

LoopOrder order_of(const std::vector<std::string>& names, const Computation& computation) {
  LoopOrder order;
  for (const std::string& name : names) {
    const Dim dim = loop_named(name, computation, "order");
    if (std::find(order.begin(), order.end(), dim) != order.end())
      throw Error("order: " + name + " appears twice; must appear once");
    order.push_back(dim);
  }
  return order;
}

/// Throws Error unless each loop that the tile does not cover is in the order, and the iterations
/// of the box can be counted in 64 bits, because no volume is larger than their number.
void check_loops(const Computation& computation, const LoopOrder& order, const Tile& tile,
                 const Tile& box) {
  std::int64_t iterations = 1;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    const bool in_order = std::find(order.begin(), order.end(), dim) != order.end();
    if (!in_order && tile[dim] < box[dim])
      throw Error("order: " + computation.name(dim) + " is missing; its tile of " +
                  std::to_string(tile[dim]) + " needs a loop to cover " + std::to_string(box[dim]));
    if (multiply_overflows(iterations, box[dim], iterations))
      throw Error("box: more than 2^63 - 1 iterations; must be fewer to be counted");
  }
}

PerTensor<std::int64_t> footprints_of(const Computation& computation, const Tile& tile) {
  PerTensor<std::int64_t> result;
  for (std::size_t t = 0; t < result.values.size(); ++t)
    result.values[t] = footprint(computation.tensors[t], tile);
  return result;
}

}  // namespace

std::vector<LoopExtent> loops_of(const Problem& problem) {
  const Computation computation = computation_of(problem);
  std::vector<LoopExtent> loops;
  for (int d = 0; d < computation.dims(); ++d)
    loops.push_back({computation.name(Dim{d}), computation.extent(Dim{d})});
  return loops;
}

std::vector<TensorMovement> movement(const Problem& problem, const TileLoops& loops) {
  const Computation computation = computation_of(problem);
  const Tile extents = extents_of(computation);
  Tile ones;
  for (int d = 0; d < computation.dims(); ++d) ones[Dim{d}] = 1;
  const LoopOrder order = order_of(loops.order, computation);
  const Tile box = sizes_of(loops.box, computation, "box", {extents, extents});
  const Tile tile = sizes_of(loops.tile, computation, "tile", {ones, box});
  check_loops(computation, order, tile, box);
  const PerTensor<std::int64_t> held =
      loops.clip ? clipped_footprints(computation, tile, box) : footprints_of(computation, tile);
  const PerTensor<std::int64_t> loaded = loops.clip ? clipped_volumes(computation, order, tile, box)
                                                    : volumes(computation, order, tile, box);
  std::vector<TensorMovement> tensors;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    tensors.push_back({computation.tensors[t].name, held.values[t], loaded.values[t]});
  return tensors;
}

LowerBound lower_bound(const Problem& problem, double capacity) {
  if (!(capacity >= 1)) throw Error("capacity is " + fixed(capacity, 0) + "; must be at least 1");
  return lower_bound(computation_of(problem), capacity);
}

LoopOrderClasses loop_order_classes(const Problem& problem) {
  const Computation computation = computation_of(problem);
  const OrderClasses found = order_classes(computation);
  LoopOrderClasses result{.signatures = found.signatures, .classes = {}};
  for (const OrderClass& one : found.classes) {
    LoopOrderClass named{.name = one.name, .order = {}};
    for (const Dim dim : one.order) named.order.push_back(computation.name(dim));
    result.classes.push_back(std::move(named));
  }
  return result;
}

}  // namespace tileplan
