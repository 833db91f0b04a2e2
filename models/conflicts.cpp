// SPDX-License-Identifier: Apache-2.0
// This file counts how many cache lines of the input, the output or the weights lie in each set of
// a cache, and how many of them exceed the ways of the set. It also finds stores that fill only
// parts of lines or lie in two lines.
#include "conflicts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "branches.h"
#include "capacity.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

constexpr std::size_t kMostPixels = 1024;

/// Returns the number of steps that the innermost active reduction loop takes before it leaves a
/// cache line of the input, or 1 if there is no such loop or the input lacks its dimension.
double steps_per_line(const Computation& computation, const Branch& branch,
                      const TensorLayout& input, double line_elements) {
  const auto& loops = branch.nest.loops;
  const auto innermost = std::find_if(loops.rbegin(), loops.rend(), [&](const NestLoop& loop) {
    return loop.trips > 1 && computation.role(loop.dim) == Role::reduction;
  });
  if (innermost == loops.rend()) return 1;
  const auto term = find_term(computation.tensor(Operand::input), innermost->dim);
  if (!term) return 1;
  const std::int64_t stride = term->coefficient * input.axes[term->index].stride;
  return std::max(1.0, line_elements / static_cast<double>(stride));
}

/// Returns the offsets of the pixels of the register tile from its first pixel, or those of its
/// first pixels, at least kMostPixels: no kernel has as many, but any schedule may be explained.
std::vector<Tile> pixels_of(const Computation& computation, const Nest& nest) {
  std::vector<Tile> pixels{Tile{}};
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    if (dim == nest.vectorised || computation.role(dim) == Role::reduction) continue;
    const std::size_t so_far = pixels.size();
    for (std::int64_t i = 1; i < nest.base[dim] && pixels.size() < kMostPixels; ++i)
      for (std::size_t p = 0; p < so_far; ++p) {
        Tile pixel = pixels[p];
        pixel[dim] = i;
        pixels.push_back(pixel);
      }
  }
  return pixels;
}

/// Returns the byte addresses of the input cache lines that one step of the register tile reads,
/// relative to the first pixel. If the input has the vectorised dimension, only the first element
/// along this dimension counts.
std::vector<std::int64_t> pixel_lines(const Computation& computation, const Nest& nest,
                                      const TensorLayout& input, std::int64_t line_bytes) {
  const TensorAccess& tensor = computation.tensor(Operand::input);
  std::set<std::int64_t> lines;
  for (const Tile& pixel : pixels_of(computation, nest)) {
    const std::int64_t address = tensor.element_bytes() * element_at(tensor, input, pixel);
    lines.insert(address / line_bytes * line_bytes);
  }
  return {lines.begin(), lines.end()};
}

/// Counts the stores that a core has executed but not yet written to its cache. Cores have room for
/// 44 (Zen) to 112 (Golden Cove) of them (the vendors' optimization manuals). The value was not
/// fitted.
constexpr std::int64_t kStoresInFlight = 64;

/// Returns the box of outputs whose stores are in flight at one time: the register tile and the
/// tiles that follow it.
Tile stores_in_flight(const Computation& computation, const Nest& nest, int lanes) {
  Tile box = nest.base;
  std::int64_t elements = footprint(computation.tensor(Operand::output), box);
  const std::int64_t enough = kStoresInFlight * lanes;
  for (std::size_t i = nest.loops.size(); i-- > 0 && elements < enough;) {
    const NestLoop& loop = nest.loops[i];
    if (computation.role(loop.dim) == Role::reduction) continue;
    const std::int64_t times = std::min(loop.trips, ceil_div(enough, elements));
    box[loop.dim] *= times;
    elements *= times;
  }
  return box;
}

/// Returns conflicting_stores() of one branch.
double conflicting_share(const Computation& computation, const Nest& nest,
                         const TensorLayout& output, const Machine& machine) {
  const CacheLevel& l1 = machine.caches.front();
  const TensorAccess& tensor = computation.tensor(Operand::output);
  const Tile box = stores_in_flight(computation, nest, machine.vector.lanes);
  std::int64_t all = 0, overflow = 0;
  for (const std::int64_t load :
       lines_in_sets(tensor, output, box, l1.line_bytes / tensor.element_bytes(), sets_of(l1))) {
    all += load;
    overflow += std::max<std::int64_t>(0, load - l1.ways);
  }
  return overflow == 0 ? 0 : static_cast<double>(overflow) / static_cast<double>(all - l1.ways);
}

/// Returns the share of `lines` cache lines that lie in sets with more lines than `ways`, when each
/// line falls into one of `sets` sets with equal probability. A line lies in such a set when at
/// least `ways` other lines do, whose number is treated as Poisson distributed.
double share_in_full_sets(std::int64_t lines, std::int64_t sets, std::int64_t ways) {
  if (lines <= ways) return 0;
  if (sets == 1) return 1;
  const double mean = static_cast<double>(lines) / static_cast<double>(sets);
  double probability = std::exp(-mean), below = 0;
  for (std::int64_t others = 0; others < ways; ++others) {
    below += probability;
    probability *= mean / static_cast<double>(others + 1);
  }
  return std::max(0.0, 1 - below);
}

}  // namespace

double conflicting_stores(const Computation& computation, const Nest& nest,
                          const TensorLayout& output, const Machine& machine) {
  double calls = 0, conflicting = 0;
  for (const Branch& branch : branches_of(nest)) {
    const double of_branch = calls_of(computation, branch).calls;
    calls += of_branch;
    conflicting += of_branch * conflicting_share(computation, branch.nest, output, machine);
  }
  return conflicting / calls;
}

double scattered_stores(const Computation& computation, const Nest& nest,
                        const TensorLayout& output, const Machine& machine) {
  constexpr std::int64_t kPageBytes = 4096;
  const TensorAccess& tensor = computation.tensor(Operand::output);
  const std::int64_t line = machine.caches.front().line_bytes / tensor.element_bytes();
  const std::int64_t sets = kPageBytes / machine.caches.front().line_bytes;
  double all = 0, scattered = 0;
  for (const Branch& branch : branches_of(nest)) {
    const Tile& tile = branch.nest.base;
    const auto elements = static_cast<double>(footprint(tensor, tile));
    const auto of_line = static_cast<double>(line);
    const bool fills = lines(tensor, output, tile, of_line) * of_line <= elements;
    const auto places = lines_in_sets(tensor, output, tile, line, sets);
    const double stored = elements * calls_of(computation, branch).calls;
    all += stored;
    if (!fills || std::ranges::max(places) > 1) scattered += stored;
  }
  return scattered / all;
}

double split_stores(const Computation& computation, const Nest& nest, const TensorLayout& output,
                    const Machine& machine) {
  const TensorAccess& tensor = computation.tensor(Operand::output);
  const std::int64_t line = machine.caches.front().line_bytes / tensor.element_bytes();
  const std::int64_t vector = std::min<std::int64_t>(machine.vector.lanes, line);
  std::int64_t apart = vector;
  for (std::size_t a = 0; a < tensor.data.size(); ++a)
    if (tensor.data[a].extent > 1 && !is_present(tensor.data[a], nest.vectorised))
      apart = std::gcd(apart, output.axes[a].stride);
  return static_cast<double>(vector - apart) / static_cast<double>(line);
}

double conflict_lines(const Computation& computation, const Nest& nest, const TensorLayout& input,
                      const CacheLevel& l1) {
  const std::int64_t line_elements =
      l1.line_bytes / computation.tensor(Operand::input).element_bytes();
  const auto sets = static_cast<int>(sets_of(l1));
  double again = 0;
  for (const Branch& branch : branches_of(nest)) {
    const std::int64_t overflow = overflowing_lines(
        pixel_lines(computation, branch.nest, input, l1.line_bytes), l1.line_bytes, sets, l1.ways);
    if (overflow == 0) continue;
    const auto [calls, steps, resumed] = calls_of(computation, branch);
    const double per_line = std::min(
        steps, steps_per_line(computation, branch, input, static_cast<double>(line_elements)));
    again += static_cast<double>(overflow) * calls * (steps - steps / per_line);
  }
  return again;
}

double evicted_share(const Computation& computation, const TensorLayout& layout, const Tile& box,
                     const CacheLevel& cache) {
  const Storage storage = storage_in(cache, false, layout, layout);
  const TensorAccess& weights = computation.tensor(Operand::weights);
  const std::int64_t line = storage.line_bytes / weights.element_bytes();
  double all = 0, evicted = 0;
  for (const std::int64_t load : lines_in_sets(weights, layout, box, line, storage.sets)) {
    all += static_cast<double>(load);
    evicted += static_cast<double>(load) * share_in_full_sets(load, storage.colours, storage.ways);
  }
  return evicted / all;
}

}  // namespace tileplan
