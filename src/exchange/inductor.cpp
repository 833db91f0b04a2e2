// SPDX-License-Identifier: Apache-2.0
// This file matches the loops of a product with those of Inductor's template for products in C++.
#include <algorithm>
#include <tuple>

#include "integers.h"
#include "linalg_operation.h"
#include "nest.h"
#include "writers.h"

namespace tileplan {
namespace {

struct PixelTile {
  std::int64_t rows, columns;

  bool operator==(const PixelTile&) const = default;
};

/// These are the sizes of Inductor's microkernels for f32, with vectors of 16 and of 8 elements.
constexpr PixelTile kTiles16[] = {{8, 48}, {8, 32}, {16, 16}};
constexpr PixelTile kTiles8[] = {{4, 24}, {4, 16}, {8, 8}};
constexpr int kWideLanes = 16;

/// Inductor's template for products has these loops around its microkernel, innermost first.
constexpr Role kLoops[] = {Role::reduction, Role::pixel,   Role::channel,
                           Role::reduction, Role::channel, Role::pixel};
constexpr std::size_t kLoopCount = std::size(kLoops);

/// Returns the product of the sizes of `box` along the dimensions with the role `part`.
std::int64_t size_of(const Tile& box, const Computation& computation, Role part) {
  std::int64_t size = 1;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == part) size *= box[Dim{d}];
  return size;
}

/// Returns the register tile that Inductor chooses for a product, as create_micro_gemm() of PyTorch
/// 2.15 does. Tiles that divide more of the two extents go first. Among these, tiles go first that
/// have at least as many blocks as there are threads, along the columns and in all. Of tiles that
/// are equal so far, the largest is chosen, or the smallest if there are fewer blocks than threads.
PixelTile chosen_tile(const Computation& computation, int lanes, int threads) {
  const Tile whole = extents_of(computation);
  const std::int64_t rows = size_of(whole, computation, Role::pixel);
  const std::int64_t columns = size_of(whole, computation, Role::channel);
  const auto rank = [&](const PixelTile& tile) {
    const std::int64_t across = ceil_div(columns, tile.columns);
    const int divided = (rows % tile.rows == 0 ? 1 : 0) + (columns % tile.columns == 0 ? 1 : 0);
    const int occupied =
        (across >= threads ? 1 : 0) + (across * ceil_div(rows, tile.rows) >= threads ? 1 : 0);
    const std::int64_t size = tile.rows * tile.columns + tile.rows + tile.columns;
    return std::tuple(divided, occupied, occupied == 0 ? -size : size);
  };
  return lanes == kWideLanes ? *std::ranges::max_element(kTiles16, {}, rank)
                             : *std::ranges::max_element(kTiles8, {}, rank);
}

/// Returns the trips of the template's loops for each thread, innermost first, or nothing if `nest`
/// has other loops or another order.
std::optional<std::array<std::int64_t, kLoopCount>> template_trips(const Computation& computation,
                                                                   const Nest& nest, int threads) {
  std::array<std::int64_t, kLoopCount> trips;
  trips.fill(1);
  std::size_t place = 0;
  for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
    const std::int64_t own = loop->parallel ? loop->trips / threads : loop->trips;
    if (own == 1) continue;
    while (place < kLoopCount && kLoops[place] != computation.role(loop->dim)) ++place;
    if (place == kLoopCount) return std::nullopt;
    trips[place++] = own;
  }
  return trips;
}

/// Returns true if no loop is parallel, or if the threads divide one loop over rows or columns into
/// equal ranges.
bool has_plain_threads(const Computation& computation, const Nest& nest, int threads) {
  if (std::ranges::count_if(nest.loops, &NestLoop::parallel) > 1) return false;
  return std::ranges::all_of(nest.loops, [&](const NestLoop& loop) {
    return !loop.parallel ||
           (loop.trips % threads == 0 && computation.role(loop.dim) != Role::reduction);
  });
}

}  // namespace

std::optional<std::string> why_no_inductor(const Schedule& schedule, const Computation& computation,
                                           int lanes, int threads) {
  if (auto why = why_no_linalg(schedule, computation, lanes)) return why;
  if (!std::holds_alternative<GemmShape>(computation.problem))
    return "a computation that is no matrix product";
  if (std::ranges::any_of(schedule.loops, &Specifier::is_lambda)) return "an uneven split";
  const Nest nest = resolve(schedule, computation, lanes);
  const auto size = [&](Role part) { return size_of(nest.base, computation, part); };
  if (PixelTile{size(Role::pixel), size(Role::channel)} != chosen_tile(computation, lanes, threads))
    return "a register tile that Inductor does not choose";
  if (!has_plain_threads(computation, nest, threads))
    return "threads that share other than ranges of one loop";
  if (!template_trips(computation, nest, threads))
    return "an order of loops that the template lacks";
  return std::nullopt;
}

InductorBlocking inductor_blocking(const Schedule& schedule, const Computation& computation,
                                   int lanes, int threads) {
  const Nest nest = resolve(schedule, computation, lanes);
  const auto trips = *template_trips(computation, nest, threads);
  const auto size = [&](Role part) { return size_of(nest.base, computation, part); };
  InductorBlocking blocking{.register_tile = {size(Role::pixel), size(Role::channel)},
                            .cache_blocks = {trips[1], trips[2], trips[0] * size(Role::reduction)}};
  for (const NestLoop& loop : nest.loops)
    if (loop.parallel)
      blocking.threads[computation.role(loop.dim) == Role::pixel ? 0 : 1] = threads;
  return blocking;
}

}  // namespace tileplan
