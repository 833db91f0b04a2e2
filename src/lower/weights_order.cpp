// SPDX-License-Identifier: Apache-2.0
// Loops over the blocked dimension determine the blocks, and reduction loops determine the order
// inside a block.
#include "weights_order.h"

namespace tileplan {
namespace {

/// Appends the sizes of all blocks along order.blocked, in the order in which the loops from `at`
/// inwards visit them.
void append_blocks(const Nest& nest, std::size_t at, WeightsOrder& order) {
  if (at == nest.loops.size()) {
    order.blocks.push_back(nest.base[order.blocked]);
    return;
  }
  const NestLoop& loop = nest.loops[at];
  if (loop.dim != order.blocked) return append_blocks(nest, at + 1, order);
  for (std::int64_t i = 0; i < loop.trips; ++i) append_blocks(nest, at + 1, order);
  for (const Part& part : loop.parts) {
    const Nest chosen = with_part(nest, at, part);
    for (std::int64_t i = 0; i < part.times; ++i) append_blocks(chosen, at + 1, order);
  }
}

}  // namespace

std::vector<Tile> points(const std::vector<Repeat>& loops) {
  std::vector<Tile> all{Tile{}};
  for (const Repeat& loop : loops) {
    std::vector<Tile> next;
    next.reserve(all.size() * static_cast<std::size_t>(loop.count));
    for (const Tile& point : all)
      for (std::int64_t i = 0; i < loop.count; ++i) {
        next.push_back(point);
        next.back()[loop.dim] += i * loop.step;
      }
    all = std::move(next);
  }
  return all;
}

std::int64_t point_count(const std::vector<Repeat>& loops) {
  std::int64_t count = 1;
  for (const Repeat& loop : loops) count *= loop.count;
  return count;
}

std::vector<Repeat> reduction_loops(const Computation& computation, const Nest& nest,
                                    std::size_t from) {
  std::vector<Repeat> loops;
  for (std::size_t i = from; i < nest.loops.size(); ++i) {
    const Dim dim = nest.loops[i].dim;
    if (computation.role(dim) == Role::reduction)
      loops.push_back({dim, nest.loops[i].trips, box_inside(nest, i + 1)[dim]});
  }
  for (const Dim dim : unrolled_reductions(computation)) loops.push_back({dim, nest.base[dim], 1});
  return loops;
}

std::uint64_t WeightsOrder::fingerprint() const {
  // This is FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv) with numbers in place of bytes.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::int64_t number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
  };
  add(outer_count);
  add(extent);
  if (group != channels) add(group);  // Saved networks with one group stay valid.
  for (const Repeat& each : outer) add(index(each.dim));
  for (const std::int64_t block : blocks) add(block);
  for (const Repeat& loop : loops) {
    add(index(loop.dim));
    add(loop.count);
    add(loop.step);
  }
  if (transform != 0) hash = (hash ^ transform) * 0x100000001b3;
  return hash == 0 ? 1 : hash;
}

std::int64_t WeightsOrder::distance(Dim dim, std::int64_t iterations) const {
  if (dim == blocked) return iterations * steps() * (iterations % group == 0 ? outer_count : 1);
  std::int64_t apart = group * steps();
  for (auto each = outer.rbegin(); each != outer.rend(); ++each) {
    if (each->dim == dim) return iterations * apart;
    apart *= each->count;
  }
  return 0;
}

WeightsOrder weights_order(const Computation& computation, const Nest& nest, std::size_t first) {
  const Tile box = box_inside(nest, first);
  WeightsOrder order;
  order.blocked = weights_dim(computation, nest.vectorised);
  for (int d = 0; d < computation.dims(); ++d) {
    const Role part = computation.role(Dim{d});
    if (Dim{d} == order.blocked || (part != Role::batch && part != Role::channel)) continue;
    order.outer.push_back({Dim{d}, box[Dim{d}], 1});
    order.outer_count *= box[Dim{d}];
  }
  order.extent = computation.extent(order.blocked);
  append_blocks(nest, first, order);
  for (const std::int64_t block : order.blocks) order.channels += block;
  order.group = weights_group(computation, nest, first);
  order.loops = reduction_loops(computation, nest, first);
  std::erase_if(order.loops, [](const Repeat& loop) { return loop.count == 1; });
  return order;
}

}  // namespace tileplan
