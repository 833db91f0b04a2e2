// SPDX-License-Identifier: Apache-2.0
// This file chooses the dimensions that vectors lie along, converts register tilings to kernels of
// a computation, and keeps a few of them.
#include "kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "branches.h"
#include "capacity.h"
#include "check.h"
#include "integers.h"
#include "mixed_tilings.h"
#include "register_tilings.h"
#include "strips.h"
#include "unit_dim.h"

namespace tileplan {
namespace {

/// Makes `dim` the first direction of register tiles that is still free, out of columns, rows and
/// images in this order.
void add_direction(TilingProblem& problem, Dim dim, std::int64_t extent) {
  if (!problem.columns) {
    problem.columns = dim;
    problem.column_extent = extent;
  } else if (!problem.rows) {
    problem.rows = dim;
    problem.row_extent = extent;
  } else {
    problem.images = dim;
    problem.image_extent = extent;
  }
}

TilingProblem tiling_problem(const Computation& computation, const Machine& machine,
                             Dim vectorised) {
  const int lanes = machine.vector.lanes;
  const Tile extents = covered_extents(computation, vectorised, lanes);
  const Dim channel = weights_dim(computation, vectorised);
  TilingProblem problem{.vectorised = vectorised,
                        .pixel_vectors = channel != vectorised,
                        .vector_extent = extents[vectorised] / lanes,
                        .lanes = lanes,
                        .hertz = machine.clock.hertz,
                        .most_outputs = HUGE_VAL,
                        .cores = machine.cores};
  if (!machine.caches.empty()) {
    problem.most_outputs =
        usable_units(machine.caches.front(), computation.tensor(Operand::output).element_bytes());
    problem.ways = machine.caches.front().ways;
  }
  if (problem.pixel_vectors) {
    problem.columns = channel;
    problem.column_extent = extents[channel];
  }
  for (int d = computation.dims() - 1; d >= 0; --d) {
    const Dim dim{d};
    const Role part = computation.role(dim);
    (part == Role::reduction ? problem.steps : problem.outputs) *=
        static_cast<double>(extents[dim]);
    if (part != Role::pixel || extents[dim] == 1 || dim == vectorised || problem.images) continue;
    add_direction(problem, dim, extents[dim]);
  }
  return problem;
}

/// Returns the two sizes along one direction as a Lambda, in iterations of its dimension.
Lambda lambda_of_split(const TilingProblem& problem, SplitAxis axis, std::vector<Part> parts) {
  Lambda lambda{.dim = axis == SplitAxis::rows      ? problem.rows.value()
                       : axis == SplitAxis::columns ? problem.columns.value()
                                                    : problem.vectorised,
                .parts = std::move(parts)};
  for (Part& part : lambda.parts)
    if (axis == SplitAxis::vectors) part.size *= problem.lanes;
  lambda.block = covered(lambda.parts);
  return lambda;
}

KernelCombo combo_of(const Computation& computation, const TilingProblem& problem,
                     const TileShape& shape, double seconds) {
  KernelCombo combo{.vectorised = problem.vectorised, .compute_seconds = seconds};
  for (int d = 0; d < computation.dims(); ++d) combo.base[Dim{d}] = 1;
  if (problem.rows) combo.base[*problem.rows] = shape.rows;
  if (problem.columns) combo.base[*problem.columns] = shape.columns;
  if (problem.images) combo.base[*problem.images] = shape.images;
  combo.base[problem.vectorised] = shape.vectors * problem.lanes;
  return combo;
}

KernelCombo combo_of(const Computation& computation, const TilingProblem& problem,
                     const RegisterTiling& found) {
  KernelCombo combo = combo_of(computation, problem, found.shape, found.seconds);
  if (found.axis != SplitAxis::none)
    combo.lambda = lambda_of_split(problem, found.axis, found.parts);
  return combo;
}

/// Returns `layout` for convolutions. All other problems have only the plain layout.
Layout layout_or_plain(const Computation& computation, Layout layout) {
  return std::holds_alternative<ConvShape>(computation.problem) ? layout : Layout::plain;
}

/// Returns the fraction of vector lanes along `dim` that hold elements.
double lanes_used(const Computation& computation, Dim dim, int lanes) {
  const std::int64_t extent = computation.extent(dim);
  return static_cast<double>(extent) / static_cast<double>(round_up(extent, lanes));
}

/// Returns the dimensions of the output: first channels, then batches, then pixels, each innermost
/// first.
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

VectorOperands operands_of(const Computation& computation, const TilingProblem& problem) {
  if (problem.pixel_vectors) return VectorOperands::input;
  return is_present(computation.tensor(Operand::input), problem.vectorised)
             ? VectorOperands::both
             : VectorOperands::weights;
}

/// Returns true when two consecutive blocks of the two tile sizes fit in the innermost cache, when
/// `combo` has a single tile size, or when there is no cache.
bool block_fits(const Computation& computation, const KernelCombo& combo, const Machine& machine) {
  if (!combo.lambda || machine.caches.empty()) return true;
  const auto box = required(computation, combo.base, std::nullopt, CapacityRule::ideal);
  return 2 * static_cast<double>(box) <=
         usable_units(machine.caches.front(), computation.unit_bytes());
}

/// Returns true when instructions, whose displacements have 32 bits, can address all elements of
/// the register tile or, with two sizes, of their block (in nhwc for convolutions).
bool is_within_reach(const Computation& computation, const KernelCombo& combo) {
  Tile largest = combo.base;
  if (combo.lambda)
    for (const Part& part : combo.lambda->parts)
      largest[combo.lambda->dim] = std::max(largest[combo.lambda->dim], part.size);
  // Vectors of pixels are contiguous in the layouts that kernels access, but not in nhwc.
  if (computation.role(combo.vectorised) == Role::pixel) largest[combo.vectorised] = 1;
  const Layout layout = layout_or_plain(computation, Layout::nhwc);
  return std::ranges::none_of(std::array{Operand::input, Operand::output}, [&](Operand operand) {
    return tile_reach(computation, operand, layout_of(computation, operand, layout), largest) >
           kFarthestTile;
  });
}

bool is_usable(const Computation& computation, const KernelCombo& combo, const Machine& machine) {
  return block_fits(computation, combo, machine) && is_within_reach(computation, combo);
}

/// Identifies a kind of tilings by the split axis and the numbers of vectors and rows of a tile, or
/// of the first part along the split axis. If rows are ignored, only the vectors count.
using TilingKind = std::tuple<SplitAxis, std::int64_t, std::int64_t>;

TilingKind kind_of(const RegisterTiling& found, bool with_rows) {
  const std::int64_t part = found.parts.empty() ? 0 : found.parts[0].size;
  return {with_rows ? found.axis : SplitAxis::none,
          found.axis == SplitAxis::vectors ? part : found.shape.vectors,
          !with_rows                      ? 0
          : found.axis == SplitAxis::rows ? part
                                          : found.shape.rows};
}

/// Returns up to `keep` tilings, fastest first. At most half of them, rounded up, are chosen as the
/// fastest of each number of vectors, then of each kind. The fastest tilings that remain fill the
/// list.
std::vector<RegisterTiling> pick_diverse(std::vector<RegisterTiling> found, std::size_t keep) {
  std::sort(found.begin(), found.end(), faster);
  if (found.size() <= keep) return found;
  std::set<std::size_t> chosen;
  for (const bool with_rows : {false, true}) {
    std::set<TilingKind> seen;
    for (std::size_t i = 0; i < found.size() && chosen.size() < (keep + 1) / 2; ++i)
      if (seen.insert(kind_of(found[i], with_rows)).second) chosen.insert(i);
  }
  for (std::size_t i = 0; chosen.size() < keep; ++i) chosen.insert(i);
  std::vector<RegisterTiling> kept;
  kept.reserve(keep);
  for (const std::size_t i : chosen) kept.push_back(std::move(found[i]));
  return kept;
}

std::int64_t largest_size(const std::vector<Part>& parts) {
  std::int64_t largest = 0;
  for (const Part& part : parts) largest = std::max(largest, part.size);
  return largest;
}

}  // namespace

Dim vectorised_dim(const Computation& computation, int lanes) {
  const std::vector<Dim> dims = output_dims_by_role(computation);
  TILEPLAN_CHECK(!dims.empty(), "the output depends on no loop");
  const Layout layout = layout_or_plain(computation, Layout::nhwc);
  std::optional<Dim> best;
  for (const Dim dim : dims) {
    if (computation.role(dim) == Role::pixel || !is_contiguous(computation, dim, layout) ||
        reads_padding_along(computation.tensor(Operand::input), dim))
      continue;
    if (!best || lanes_used(computation, dim, lanes) > lanes_used(computation, *best, lanes))
      best = dim;
  }
  return best.value_or(dims.front());
}

std::vector<Dim> vectorised_dims(const Computation& computation, int lanes) {
  std::vector<Dim> dims{vectorised_dim(computation, lanes)};
  if (computation.role(output_dims_by_role(computation).front()) != Role::channel) return dims;
  // Strips and copies of the input have their channels innermost, so pixels are not contiguous in
  // them.
  const TensorAccess& input = computation.tensor(Operand::input);
  if (computation.products > 1 || input.copied || reads_single_elements(computation)) return dims;
  const TensorLayout layout =
      layout_of(computation, Operand::output, layout_or_plain(computation, Layout::nchw));
  const std::vector<DataDim>& data = computation.tensor(Operand::output).data;
  const bool wastes_lanes = computation.extent(dims.front()) < lanes;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms)
      if (term.dim != dims.front() && (computation.extent(term.dim) > 1 || wastes_lanes) &&
          computation.role(term.dim) == Role::pixel && is_present(input, term.dim) &&
          layout.axes[a].offset(term.coefficient) == 1)
        dims.push_back(term.dim);
  return dims;
}

const Lambda* lambda_of(const KernelCombo& kernels, Dim dim) {
  for (const std::optional<Lambda>* each : {&kernels.lambda, &kernels.second_split})
    if (*each && (*each)->dim == dim) return &**each;
  return nullptr;
}

RegisterTile register_tile(const Computation& computation, const KernelCombo& kernels, int lanes,
                           std::int64_t size) {
  std::int64_t pixels = 1, vectors = 1, channels = 0;
  const Dim channel = weights_dim(computation, kernels.vectorised);
  Tile base;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    const std::int64_t extent = lambda_of(kernels, dim) ? size : kernels.base[dim];
    base[dim] = extent;
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
          .channels = static_cast<int>(channels),
          .row = static_cast<int>(row_pixels(computation, kernels.vectorised, base))};
}

CallCycles base_cycles(const Computation& computation, const KernelCombo& kernels,
                       const Machine& machine) {
  TILEPLAN_CHECK(!kernels.second_split, "one lambda at most: the parts of two would multiply");
  CallCycles cycles;
  for (const Part& part : kernels.lambda ? kernels.lambda->parts : std::vector<Part>{{1, 0}}) {
    const RegisterTile tile = register_tile(computation, kernels, machine.vector.lanes, part.size);
    cycles.add(CallCycles(kernel_rate(tile, machine)), static_cast<double>(part.times));
  }
  return cycles;
}

std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep, std::optional<Dim> vectorised) {
  TILEPLAN_CHECK(keep >= 1, "at least one kernel must be kept");
  const TilingProblem problem = tiling_problem(
      computation, machine, vectorised.value_or(vectorised_dim(computation, machine.vector.lanes)));
  const TileRates rates(machine, operands_of(computation, problem));
  for (const bool only_fast : {true, false}) {
    std::vector<RegisterTiling> found = register_tilings(problem, rates, only_fast);
    std::erase_if(found, [&](const RegisterTiling& each) {
      return !is_usable(computation, combo_of(computation, problem, each), machine);
    });
    if (found.empty()) continue;
    std::vector<KernelCombo> combos;
    for (const RegisterTiling& each :
         pick_diverse(std::move(found), static_cast<std::size_t>(keep)))
      combos.push_back(combo_of(computation, problem, each));
    return combos;
  }
  TILEPLAN_CHECK(false, "one pixel and one vector cover everything");
}

std::vector<KernelCombo> mixed_combos(const Computation& computation, const Machine& machine,
                                      double seconds, Dim vectorised) {
  // Tilings of up to four vectors have eight kinds (mixed_tilings.cpp), so the best of each is
  // kept.
  constexpr std::size_t kMixedTilings = 8;
  const TilingProblem problem = tiling_problem(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, problem));
  std::vector<KernelCombo> combos;
  for (const MixedTiling& mixed : mixed_tilings(problem, rates, seconds, kMixedTilings)) {
    KernelCombo combo = combo_of(computation, problem, mixed.shape, mixed.seconds);
    combo.lambda = lambda_of_split(problem, mixed.axes[0], mixed.parts[0]);
    if (!mixed.parts[1].empty())
      combo.second_split = lambda_of_split(problem, mixed.axes[1], mixed.parts[1]);
    combos.push_back(std::move(combo));
  }
  return combos;
}

BaseTrips trips_of(const Computation& computation, const KernelCombo& kernels,
                   const Tile& extents) {
  BaseTrips all;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t trips = extents[Dim{d}] / kernels.base[Dim{d}];
    (computation.role(Dim{d}) == Role::reduction ? all.steps : all.outputs) *=
        static_cast<double>(trips);
  }
  return all;
}

std::vector<KernelCombo> balanced_kernels_below(const Computation& computation,
                                                const Machine& machine, const TilingLimits& limits,
                                                Dim vectorised) {
  const TilingProblem problem = tiling_problem(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, problem));
  std::vector<RegisterTiling> found = register_tilings(problem, rates, false);
  for (RegisterTiling& each : found)
    each.seconds *= busiest_share(computation, combo_of(computation, problem, each), machine);
  std::erase_if(found, [&](const RegisterTiling& each) { return each.seconds >= limits.seconds; });
  std::sort(found.begin(), found.end(), faster);
  std::vector<KernelCombo> balanced;
  // The axis affects the time between calls, and sizes affect conflicts in the first cache.
  std::set<std::tuple<TileShape, SplitAxis, std::int64_t>> seen;
  for (const RegisterTiling& each : found) {
    if (balanced.size() == limits.keep) break;
    KernelCombo combo = combo_of(computation, problem, each);
    const std::int64_t size = limits.every_size ? largest_size(each.parts) : 0;
    if (is_usable(computation, combo, machine) && seen.insert({each.shape, each.axis, size}).second)
      balanced.push_back(std::move(combo));
  }
  return balanced;
}

KernelSpace kernels_below(const Computation& computation, const Machine& machine, double seconds,
                          Dim vectorised) {
  const TilingProblem problem = tiling_problem(computation, machine, vectorised);
  const TileRates rates(machine, operands_of(computation, problem));
  std::vector<RegisterTiling> found = register_tilings(problem, rates, false);
  std::sort(found.begin(), found.end(), faster);
  KernelSpace space;
  std::set<TileShape> boxes;
  for (const RegisterTiling& each : found) {
    KernelCombo combo = combo_of(computation, problem, each);
    if (!is_usable(computation, combo, machine)) continue;
    ++space.all;
    if (each.seconds >= seconds) continue;
    if (boxes.insert(each.shape).second) space.below.push_back(std::move(combo));
  }
  return space;
}

}  // namespace tileplan
