// SPDX-License-Identifier: Apache-2.0
// These functions count data movement, bound it and list classes of loop orders. Their callers know
// loops by their names.
#include <algorithm>
#include <utility>

#include "bounds.h"
#include "clipped.h"
#include "computation.h"
#include "footprint.h"
#include "integers.h"
#include "loop_extents.h"
#include "movement.h"
#include "orders.h"
#include "tileplan/error.h"
#include "tileplan/movement.h"
#include "tileplan/text.h"
#include "words.h"

namespace tileplan {
namespace {

/// Returns the loop called `name`. When there is none, throws an Error whose message starts with
/// `what`.
Dim dim_named(const std::string& name, const Computation& computation, const std::string& what) {
  const auto found = std::find(computation.names.begin(), computation.names.end(), name);
  if (found == computation.names.end())
    throw Error(what + ": " + in_quotes(name) + "; must be one of " +
                comma_separated(computation.names));
  return Dim{static_cast<int>(found - computation.names.begin())};
}

std::string size_complaint(const std::string& what, const std::string& name, std::int64_t size,
                           std::int64_t most) {
  return what + ": the size of " + name + " is " + std::to_string(size) + "; must be " +
         (size < 1 ? "at least 1" : "at most " + std::to_string(most));
}

/// Returns `defaults` with the sizes that `given` names. Throws Error for a name of no loop, and
/// unless each size is from 1 to the size in `most`.
Tile sizes_of(const std::map<std::string, std::int64_t>& given, const Computation& computation,
              const std::string& what, const Tile& defaults, const Tile& most) {
  Tile sizes = defaults;
  for (const auto& [name, size] : given) {
    const Dim dim = dim_named(name, computation, what);
    if (size < 1 || size > most[dim]) throw Error(size_complaint(what, name, size, most[dim]));
    sizes[dim] = size;
  }
  return sizes;
}

/// Returns true when `name` is a loop over the depth of a convolution without depth. The extent of
/// such a loop is 1.
bool is_absent_depth(const std::string& name, const Problem& problem,
                     const Computation& computation) {
  return std::holds_alternative<ConvShape>(problem) && (name == "d" || name == "t") &&
         std::ranges::find(computation.names, name) == computation.names.end();
}

/// Returns `loops` without the loops over an absent depth. Sizes other than 1 remain, so that a
/// later check refuses them.
TileLoops without_absent_depth(TileLoops loops, const Problem& problem,
                               const Computation& computation) {
  const auto is_absent = [&](const std::string& name) {
    return is_absent_depth(name, problem, computation);
  };
  std::erase_if(loops.order, is_absent);
  for (auto* const sizes : {&loops.tile, &loops.box})
    std::erase_if(*sizes,
                  [&](const auto& size) { return is_absent(size.first) && size.second == 1; });
  return loops;
}

LoopOrder order_of(const std::vector<std::string>& names, const Computation& computation) {
  LoopOrder order;
  order.reserve(names.size());
  for (const std::string& name : names) {
    const Dim dim = dim_named(name, computation, "order");
    if (std::find(order.begin(), order.end(), dim) != order.end())
      throw Error("order: " + name + " appears twice; must appear once");
    order.push_back(dim);
  }
  return order;
}

/// Throws Error unless each loop that the tile does not cover is in the order and the iterations of
/// the box can be counted in 64 bits. No volume exceeds this number of iterations.
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

std::vector<LoopExtent> loop_extents(const Computation& computation, const Tile& tile) {
  std::vector<LoopExtent> sizes;
  sizes.reserve(static_cast<std::size_t>(computation.dims()));
  for (int d = 0; d < computation.dims(); ++d)
    sizes.push_back({computation.name(Dim{d}), tile[Dim{d}]});
  return sizes;
}

std::vector<LoopExtent> loops_of(const Problem& problem) {
  const Computation computation = computation_of(problem);
  std::vector<LoopExtent> loops = loop_extents(computation, extents_of(computation));
  for (const char* const name : {"d", "t"})
    if (is_absent_depth(name, problem, computation)) loops.push_back({name, 1});
  return loops;
}

std::vector<TensorMovement> movement(const Problem& problem, const TileLoops& given) {
  const Computation computation = computation_of(problem);
  const TileLoops loops = without_absent_depth(given, problem, computation);
  const Tile extents = extents_of(computation);
  Tile ones;
  for (int d = 0; d < computation.dims(); ++d) ones[Dim{d}] = 1;
  const LoopOrder order = order_of(loops.order, computation);
  const Tile box = sizes_of(loops.box, computation, "box", extents, extents);
  const Tile tile = sizes_of(loops.tile, computation, "tile", ones, box);
  check_loops(computation, order, tile, box);
  const PerTensor<std::int64_t> footprints =
      loops.clip ? clipped_footprints(computation, tile, box) : footprints_of(computation, tile);
  const PerTensor<std::int64_t> loads = loops.clip ? clipped_volumes(computation, order, tile, box)
                                                   : volumes(computation, order, tile, box);
  std::vector<TensorMovement> tensors;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    tensors.push_back({computation.tensors[t].name, footprints.values[t], loads.values[t]});
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
