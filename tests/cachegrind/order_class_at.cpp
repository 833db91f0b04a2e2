// SPDX-License-Identifier: Apache-2.0
// This file determines how the loops outside a tile reuse tensors, and finds the class with equal
// reuse.
#include "order_class_at.h"

#include <algorithm>

#include "branches.h"
#include "flat.h"
#include "footprint.h"

namespace tileplan {

namespace {

constexpr std::int64_t kElementBytes = 4;

/// Holds bit masks for each tensor: the dimensions along which the tensor is reused, and the
/// dimension along which a window slides over it.
struct Uses {
  std::vector<std::uint32_t> reused, slides;

  bool operator==(const Uses&) const = default;
};

bool shares_index(const TensorAccess& tensor, const Computation& computation, Dim dim) {
  for (const DataDim& data : tensor.data) {
    const bool here = std::any_of(data.terms.begin(), data.terms.end(),
                                  [&](const Term& term) { return term.dim == dim; });
    const auto others = std::count_if(data.terms.begin(), data.terms.end(), [&](const Term& term) {
      return computation.extent(term.dim) > 1;
    });
    if (here) return others > 1;
  }
  return false;
}

/// Returns how tensors are reused when loops over `dims`, innermost first, are executed.
Uses uses_of(const Computation& computation, const std::vector<Dim>& dims) {
  Uses uses;
  for (const TensorAccess& tensor : computation.tensors) {
    std::uint32_t reused = 0, slides = 0;
    for (const Dim dim : dims) {
      const std::uint32_t bit = std::uint32_t{1} << index(dim);
      if ((present_dims(tensor) & bit) != 0) {
        if (shares_index(tensor, computation, dim)) slides = bit;
        break;
      }
      reused |= bit;
    }
    uses.reused.push_back(reused);
    uses.slides.push_back(slides);
  }
  return uses;
}

/// Returns the dimensions of the active loops outside the tile `cut`, innermost first, followed by
/// the other dimensions of several iterations. Returns none if no active loop is outside. A loop is
/// active if it has several trips or is over a list of blocks (lambda).
std::vector<Dim> dims_outside(const Computation& computation, const Nest& nest, const Tile& cut) {
  std::size_t position = 0;
  while (position < nest.loops.size() && !(box_inside(nest, position) == cut)) ++position;
  std::vector<Dim> dims;
  const auto add = [&](Dim dim) {
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
  };
  for (std::size_t i = position; i-- > 0;)
    if (nest.loops[i].is_lambda() || nest.loops[i].trips > 1) add(nest.loops[i].dim);
  if (dims.empty()) return dims;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.extent(Dim{d}) > 1) add(Dim{d});
  return dims;
}

}  // namespace

std::string order_class_at(const Computation& computation, const Nest& nest,
                           const CacheLevel& cache) {
  const FlatTraffic traffic =
      flat_traffic(computation, nest, cache.capacity_bytes / kElementBytes, CapacityRule::lru2);
  // If the nest has lists of blocks (lambdas), the dimensions are those of the branch that contains
  // the cut.
  std::vector<Dim> dims = dims_outside(computation, nest, traffic.cut);
  const bool inside_lambda = std::any_of(nest.loops.begin(), nest.loops.end(),
                                         [](const NestLoop& loop) { return loop.is_lambda(); });
  if (inside_lambda)
    for (const Branch& branch : branches_of(nest))
      for (std::size_t i = 0; i <= branch.nest.loops.size(); ++i)
        if (box_inside(branch.nest, i) == traffic.cut)
          dims = dims_outside(computation, branch.nest, traffic.cut);
  if (dims.empty()) return "-";
  const Uses uses = uses_of(computation, dims);
  for (const OrderClass& one : order_classes(computation).classes) {
    LoopOrder order = one.order;
    std::reverse(order.begin(), order.end());
    if (uses_of(computation, order) == uses) return one.name;
  }
  return "none";
}

}  // namespace tileplan
