// SPDX-License-Identifier: Apache-2.0
// From ways to cover the register directions to boxes of a computation, and which few of them to
// keep.
#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "capacity.h"
#include "check.h"
#include "grids.h"
#include "integers.h"
#include "register_tilings.h"

namespace tileplan {
namespace {

Cover cover_of(const Computation& computation, const Machine& machine, Dim vectorised) {
  Cover cover;
  cover.lanes = machine.vector.lanes;
  cover.hertz = machine.hertz;
  cover.vectorised = vectorised;
  cover.most_outputs = machine.caches.empty()
                           ? HUGE_VAL
                           : usable_elements(machine.caches.front(), computation.element_bytes());
  if (!machine.caches.empty()) cover.ways = machine.caches.front().ways;
  const Tile extents = covered_extents(computation, cover.vectorised, cover.lanes);
  const Dim channel = weights_dim(computation, vectorised);
  cover.pixel_vectors = channel != vectorised;
  if (cover.pixel_vectors) {
    cover.has_columns = true;
    cover.columns = channel;
    cover.column_extent = extents[channel];
  }
  for (int d = computation.dims() - 1; d >= 0; --d) {
    const Dim dim{d};
    const Role part = computation.role(dim);
    (part == Role::reduction ? cover.steps : cover.outputs) *= static_cast<double>(extents[dim]);
    if (part != Role::pixel || extents[dim] == 1 || dim == cover.vectorised) continue;
    if (!cover.has_columns) {
      cover.has_columns = true;
      cover.columns = dim;
      cover.column_extent = extents[dim];
    } else if (!cover.has_rows) {
      cover.has_rows = true;
      cover.rows = dim;
      cover.row_extent = extents[dim];
    }
  }
  cover.vector_extent = extents[cover.vectorised] / cover.lanes;
  return cover;
}

/// `parts` of register shapes along one direction, in iterations of its dim.
Lambda lambda_along(const Cover& cover, Along along, std::vector<Part> parts) {
  Lambda lambda{.dim = along == Along::rows      ? cover.rows
                       : along == Along::columns ? cover.columns
                                                 : cover.vectorised,
                .parts = std::move(parts)};
  for (Part& part : lambda.parts) {
    if (along == Along::vectors) part.size *= cover.lanes;
    lambda.block += part.times * part.size;
  }
  return lambda;
}

KernelCombo combo_of(const Computation& computation, const Cover& cover, const TileShape& shape,
                     double seconds) {
  KernelCombo combo;
  for (int d = 0; d < computation.dims(); ++d) combo.base[Dim{d}] = 1;
  if (cover.has_rows) combo.base[cover.rows] = shape.rows;
  if (cover.has_columns) combo.base[cover.columns] = shape.columns;
  combo.base[cover.vectorised] = shape.vectors * cover.lanes;
  combo.vectorised = cover.vectorised;
  combo.compute_seconds = seconds;
  return combo;
}

KernelCombo combo_of(const Computation& computation, const Cover& cover, const Covering& found) {
  KernelCombo combo = combo_of(computation, cover, found.shape, found.seconds);
  if (found.along != Along::none) combo.lambda = lambda_along(cover, found.along, found.parts);
  return combo;
}

/// True when neighbours along `dim` are neighbours in memory in the output, and in the input if it
/// has `dim`: in nhwc, where the problem has layouts.
bool is_contiguous(const Computation& computation, Dim dim) {
  const bool has_layouts = std::holds_alternative<ConvShape>(computation.problem);
  for (const Operand operand : {Operand::input, Operand::output}) {
    const TensorAccess& tensor = computation.tensor(operand);
    const TensorLayout layout =
        layout_of(computation, operand, has_layouts ? Layout::nhwc : Layout::plain);
    if (!holds_vectors(tensor, layout, dim, 1)) return false;
  }
  return true;
}

/// Share of the lanes of all vectors along `dim` that hold elements.
double lanes_used(const Computation& computation, Dim dim, int lanes) {
  const std::int64_t extent = computation.extent(dim);
  return static_cast<double>(extent) / static_cast<double>(round_up(extent, lanes));
}

/// Dims of the output, channels before batches before pixels, innermost first.
std::vector<Dim> output_dims_by_role(const Computation& computation) {
  const TensorAccess& output = computation.tensor(Operand::output);
  std::vector<Dim> dims;
  for (auto data = output.data.rbegin(); data != output.data.rend(); ++data)
    for (const Term& term : data->terms) dims.push_back(term.dim);
  const auto rank = [&](Dim dim) {
    const Role part = computation.role(dim);
    return part == Role::channel ? 0 : part == Role::batch ? 1 : 2;
  };
  std::stable_sort(dims.begin(), dims.end(), [&](Dim a, Dim b) { return rank(a) < rank(b); });
  return dims;
}

/// What the vectors of `cover` are multiplied with.
VectorOperands operands_of(const Computation& computation, const Cover& cover) {
  if (cover.pixel_vectors) return VectorOperands::input;
  return is_present(computation.tensor(Operand::input), cover.vectorised) ? VectorOperands::both
                                                                          : VectorOperands::weights;
}

/// A block belongs to the innermost cache's tile: it must fit there, two consecutive ones beside
/// each other.
bool block_fits(const Computation& computation, const KernelCombo& combo, const Machine& machine) {
  if (!combo.lambda || machine.caches.empty()) return true;
  const auto box = required(computation, combo.base, std::nullopt, CapacityRule::ideal);
  return 2 * static_cast<double>(box) <=
         usable_elements(machine.caches.front(), computation.element_bytes());
}

/// True when instructions span the register tile of `combo`: in nhwc, where the problem has
/// layouts.
bool is_within_reach(const Computation& computation, const KernelCombo& combo) {
  const bool has_layouts = std::holds_alternative<ConvShape>(computation.problem);
  Tile largest = combo.base;
  if (combo.lambda)
    for (const Part& part : combo.lambda->parts)
      largest[combo.lambda->dim] = std::max(largest[combo.lambda->dim], part.size);
  // Vectors of pixels are contiguous where they are read and written, not in nhwc.
  if (computation.role(combo.vectorised) == Role::pixel) largest[combo.vectorised] = 1;
  for (const Operand operand : {Operand::input, Operand::output}) {
    const TensorLayout layout =
        layout_of(computation, operand, has_layouts ? Layout::nhwc : Layout::plain);
    if (tile_reach(computation, operand, layout, largest) > kFarthestTile) return false;
  }
  return true;
}

/// Vectors and rows of the first part, and which of them varies.
using Sort = std::tuple<Along, std::int64_t, std::int64_t>;

Sort sort_of(const Covering& found, bool with_rows) {
  const std::int64_t part = found.parts.empty() ? 0 : found.parts[0].size;
  return {with_rows ? found.along : Along::none,
          found.along == Along::vectors ? part : found.shape.vectors,
          !with_rows                   ? 0
          : found.along == Along::rows ? part
                                       : found.shape.rows};
}

/// The best for each number of vectors, then of each sort, up to half of `keep`; then the fastest
/// of the rest.
std::vector<Covering> diverse(std::vector<Covering> found, std::size_t keep) {
  std::sort(found.begin(), found.end(), faster);
  if (found.size() <= keep) return found;
  std::set<std::size_t> chosen;
  for (const bool with_rows : {false, true}) {
    std::set<Sort> seen;
    for (std::size_t i = 0; i < found.size() && chosen.size() < (keep + 1) / 2; ++i)
      if (seen.insert(sort_of(found[i], with_rows)).second) chosen.insert(i);
  }
  for (std::size_t i = 0; chosen.size() < keep; ++i) chosen.insert(i);
  std::vector<Covering> kept;
  kept.reserve(keep);
  for (const std::size_t i : chosen) kept.push_back(std::move(found[i]));
  return kept;
}

}  // namespace

Dim vectorised_dim(const Computation& computation, int lanes) {
  const std::vector<Dim> dims = output_dims_by_role(computation);
  TILEPLAN_CHECK(!dims.empty(), "the output depends on no loop");
  std::optional<Dim> best;
  for (const Dim dim : dims) {
    if (computation.role(dim) == Role::pixel || !is_contiguous(computation, dim)) continue;
    if (!best || lanes_used(computation, dim, lanes) > lanes_used(computation, *best, lanes))
      best = dim;
  }
  return best.value_or(dims.front());
}

std::vector<Dim> vectorised_dims(const Computation& computation, int lanes) {
  std::vector<Dim> dims{vectorised_dim(computation, lanes)};
  const bool has_layouts = std::holds_alternative<ConvShape>(computation.problem);
  const TensorLayout layout =
      layout_of(computation, Operand::output, has_layouts ? Layout::nchw : Layout::plain);
  const std::vector<DataDim>& data = computation.tensor(Operand::output).data;
  bool has_channel = false;
  for (int d = 0; d < computation.dims(); ++d)
    has_channel = has_channel || computation.role(Dim{d}) == Role::channel;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms)
      if (has_channel && term.dim != dims.front() && computation.extent(term.dim) > 1 &&
          computation.role(term.dim) == Role::pixel && layout.axes[a].offset(term.coefficient) == 1)
        dims.push_back(term.dim);
  return dims;
}

const Lambda* lambda_of(const KernelCombo& kernels, Dim dim) {
  for (const std::optional<Lambda>* each : {&kernels.lambda, &kernels.across})
    if (*each && (*each)->dim == dim) return &**each;
  return nullptr;
}

RegisterTile register_tile(const Computation& computation, const KernelCombo& kernels, int lanes,
                           std::int64_t size) {
  std::int64_t pixels = 1, vectors = 1, channels = 0;
  const Dim channel = weights_dim(computation, kernels.vectorised);
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    const std::int64_t extent = lambda_of(kernels, dim) ? size : kernels.base[dim];
    if (dim == kernels.vectorised)
      vectors = extent / lanes;
    else if (dim == channel)
      pixels *= channels = extent;
    else if (computation.role(dim) == Role::pixel)
      pixels *= extent;
  }
  return {.pixels = static_cast<int>(pixels),
          .vectors = static_cast<int>(vectors),
          .vector_input = is_present(computation.tensor(Operand::input), kernels.vectorised),
          .channels = static_cast<int>(channels)};
}

BaseCycles base_cycles(const Computation& computation, const KernelCombo& kernels,
                       const Machine& machine) {
  TILEPLAN_CHECK(!kernels.across, "one lambda at most: the parts of two would multiply");
  BaseCycles cycles;
  const auto add = [&](std::int64_t times, std::int64_t size) {
    const RegisterTile tile = register_tile(computation, kernels, machine.vector.lanes, size);
    const KernelRate rate = kernel_rate(tile, machine);
    cycles.call += static_cast<double>(times) * rate.cycles_per_call;
    cycles.resume += static_cast<double>(times) * rate.cycles_per_resume;
    cycles.step += static_cast<double>(times) * rate.cycles_per_step;
  };
  if (!kernels.lambda)
    add(1, 0);
  else
    for (const Part& part : kernels.lambda->parts) add(part.times, part.size);
  return cycles;
}

std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep, Dim vectorised) {
  TILEPLAN_CHECK(keep >= 1, "at least one kernel must be kept");
  const Cover cover = cover_of(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, cover));
  for (const bool only_fast : {true, false}) {
    std::vector<Covering> found = coverings(cover, rates, only_fast);
    std::erase_if(found, [&](const Covering& each) {
      const KernelCombo combo = combo_of(computation, cover, each);
      return !block_fits(computation, combo, machine) || !is_within_reach(computation, combo);
    });
    if (found.empty()) continue;
    std::vector<KernelCombo> combos;
    for (const Covering& each : diverse(std::move(found), static_cast<std::size_t>(keep)))
      combos.push_back(combo_of(computation, cover, each));
    return combos;
  }
  TILEPLAN_CHECK(false, "one pixel and one vector cover everything");
}

std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep) {
  return kernel_combos(computation, machine, keep,
                       vectorised_dim(computation, machine.vector.lanes));
}

std::vector<KernelCombo> grid_combos(const Computation& computation, const Machine& machine,
                                     double seconds, Dim vectorised) {
  constexpr std::size_t kGrids = 8;  // room for all kinds of up to four vectors
  const Cover cover = cover_of(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, cover));
  std::vector<KernelCombo> combos;
  for (const Grid& grid : grids(cover, rates, seconds, kGrids)) {
    KernelCombo combo = combo_of(computation, cover, grid.shape, grid.seconds);
    combo.lambda = lambda_along(cover, grid.along[0], grid.parts[0]);
    if (!grid.parts[1].empty()) combo.across = lambda_along(cover, grid.along[1], grid.parts[1]);
    combos.push_back(std::move(combo));
  }
  return combos;
}

namespace {

using Box = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

Box box_of(const TileShape& shape) { return {shape.rows, shape.columns, shape.vectors}; }

/// Share of the calls of `found` on the busiest of `cores`, at best.
double busiest_share(const Cover& cover, const Covering& found, int cores) {
  double calls = cover.outputs / outputs_of(cover, found.shape);
  std::int64_t parts = 0;
  for (const Part& part : found.parts) parts += part.times;
  calls *= static_cast<double>(std::max<std::int64_t>(parts, 1));
  return std::ceil(calls / cores) / calls;
}

}  // namespace

std::vector<KernelCombo> dealt_below(const Computation& computation, const Machine& machine,
                                     double seconds, Dim vectorised, std::size_t keep) {
  const Cover cover = cover_of(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, cover));
  std::vector<Covering> found = coverings(cover, rates, false);
  for (Covering& each : found) each.seconds *= busiest_share(cover, each, machine.cores);
  std::erase_if(found, [&](const Covering& each) { return each.seconds >= seconds; });
  std::sort(found.begin(), found.end(), faster);
  std::vector<KernelCombo> dealt;
  std::set<std::pair<Box, Along>> seen;  // what lies between the calls of two parts may decide
  for (const Covering& each : found) {
    if (dealt.size() == keep) break;
    KernelCombo combo = combo_of(computation, cover, each);
    if (block_fits(computation, combo, machine) &&
        seen.insert({box_of(each.shape), each.along}).second)
      dealt.push_back(std::move(combo));
  }
  return dealt;
}

KernelSpace kernels_below(const Computation& computation, const Machine& machine, double seconds,
                          Dim vectorised) {
  const Cover cover = cover_of(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, cover));
  std::vector<Covering> found = coverings(cover, rates, false);
  std::sort(found.begin(), found.end(), faster);
  KernelSpace space;
  std::set<Box> boxes;
  for (const Covering& each : found) {
    KernelCombo combo = combo_of(computation, cover, each);
    if (!block_fits(computation, combo, machine) || !is_within_reach(computation, combo)) continue;
    ++space.all;
    if (each.seconds >= seconds) continue;
    if (boxes.insert(box_of(each.shape)).second) space.below.push_back(std::move(combo));
  }
  return space;
}

}  // namespace tileplan
