// SPDX-License-Identifier: Apache-2.0
// A run includes an outer reduction loop when its next iteration continues at the address where the
// loop inside ended. The shares of stored elements and of taps are counted for one index at a time.
#include "reduction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

/// Describes the distance in the input between consecutive values of a dimension. The distance
/// changes after each `block` values, or never when `block` is 0.
struct Stride {
  std::int64_t elements = 0;
  std::int64_t block = 0;
};

Stride stride_of(const TensorAccess& input, const TensorLayout& layout, Dim dim) {
  const auto term = find_term(input, dim);
  if (!term) return {};
  const AxisLayout& axis = layout.axes[term->index];
  const bool whole_blocks = axis.block != 0 && term->coefficient % axis.block == 0;
  return {.elements = axis.offset(term->coefficient), .block = whole_blocks ? 0 : axis.block};
}

struct Range {
  std::int64_t first = 0, last = -1;

  std::int64_t count() const { return std::max<std::int64_t>(0, last - first + 1); }
};

/// Returns the range of values of `x` that, together with the value `j` of `y`, read stored
/// elements rather than padding.
Range stored_range(const Computation& computation, const DataDim& data, const Term& x,
                   const Term& y, std::int64_t j) {
  const std::int64_t start = data.offset + y.coefficient * j;
  return {
      .first = std::max<std::int64_t>(0, -floor_div(start, x.coefficient)),
      .last = std::min(computation.extent(x.dim) - 1,
                       floor_div(data.extent - 1 - start, x.coefficient)),
  };
}

/// Returns the share of the multiply-adds along one padded index that read stored elements, or 1
/// for an index of other than two iterators.
double array_share(const Computation& computation, const DataDim& data) {
  if (data.terms.size() != 2) return 1;
  const Term &x = data.terms[0], &y = data.terms[1];
  std::int64_t inside = 0;
  for (std::int64_t j = 0; j < computation.extent(y.dim); ++j)
    inside += stored_range(computation, data, x, y, j).count();
  return static_cast<double>(inside) /
         static_cast<double>(computation.extent(x.dim) * computation.extent(y.dim));
}

/// Returns the share of the taps of one index that meet stored elements at some output of a tile
/// like `box`, averaged over all tiles, or 1 for an index of other than two iterators.
double taps_share(const Computation& computation, const DataDim& data, const Tile& box) {
  double share = 1;
  for (const Term& tap : data.terms) {
    if (computation.role(tap.dim) != Role::reduction || data.terms.size() != 2) continue;
    const Term& output = tap == data.terms[0] ? data.terms[1] : data.terms[0];
    const std::int64_t all = computation.extent(output.dim), taps = computation.extent(tap.dim);
    const std::int64_t size = std::clamp<std::int64_t>(box[output.dim], 1, all);
    std::int64_t met = 0;
    for (std::int64_t j = 0; j < taps; ++j)
      if (const Range range = stored_range(computation, data, output, tap, j); range.count() > 0)
        met += std::min(all, round_up(range.last + 1, size)) - range.first / size * size;
    share *= static_cast<double>(met) / static_cast<double>(all * taps);
  }
  return share;
}

/// Returns the loops inside Branch::kernel_loops, innermost first, as pairs of a dimension and its
/// trips. Loops inside the innermost active loop over an output dimension belong to a call.
/// Unrolled reduction dimensions come first, because their steps are loops inside all others.
std::vector<std::pair<Dim, std::int64_t>> call_loops(const Computation& computation,
                                                     const Branch& branch) {
  std::vector<std::pair<Dim, std::int64_t>> loops;
  for (const Dim dim : unrolled_reductions(computation))
    loops.emplace_back(dim, branch.nest.base[dim]);
  std::ranges::reverse(loops);
  for (std::size_t i = branch.nest.loops.size(); i-- > branch.kernel_loops;)
    loops.emplace_back(branch.nest.loops[i].dim, branch.nest.loops[i].trips);
  return loops;
}

/// Returns `box` with size 1 along each reduction dimension.
Tile without_reductions(const Computation& computation, Tile box) {
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == Role::reduction) box[Dim{d}] = 1;
  return box;
}

}  // namespace

double steps_per_run(const Computation& computation, const Branch& branch,
                     const TensorLayout& input) {
  const TensorAccess& tensor = computation.tensor(Operand::input);
  Tile covered = without_reductions(computation, branch.nest.base);
  std::int64_t run = 1, step_distance = 0;
  for (const auto& [dim, trips] : call_loops(computation, branch)) {
    if (trips == 1) continue;
    if (computation.role(dim) != Role::reduction) break;
    const Stride stride = stride_of(tensor, input, dim);
    const std::int64_t jump = stride.elements * covered[dim];
    const std::int64_t joined =
        stride.block == 0 ? trips : std::clamp<std::int64_t>(stride.block / covered[dim], 1, trips);
    if (run == 1) step_distance = jump;
    if (jump != run * step_distance) break;
    run *= joined;
    covered[dim] *= trips;
    if (joined != trips) break;
  }
  return static_cast<double>(run);
}

double array_share(const Computation& computation, Dim vectorised) {
  double share = 1;
  for (const DataDim& data : computation.tensor(Operand::input).data)
    if (data.clipped && !is_present(data, vectorised)) share *= array_share(computation, data);
  return share;
}

double stored_share(const Computation& computation) {
  const TensorAccess& input = computation.tensor(Operand::input);
  double stored = 1;
  for (const DataDim& data : input.data) stored *= static_cast<double>(data.extent);
  return std::min(1.0, stored / static_cast<double>(footprint(input, extents_of(computation))));
}

double weights_share(const Computation& computation, Dim vectorised, const Tile& box) {
  double share = 1;
  for (const DataDim& data : computation.tensor(Operand::input).data)
    if (data.clipped && !is_present(data, vectorised)) share *= taps_share(computation, data, box);
  return share;
}

}  // namespace tileplan
