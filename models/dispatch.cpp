// SPDX-License-Identifier: Apache-2.0
// Multiplies the trips of the loops outside those that one call runs.
#include "dispatch.h"

#include <algorithm>

namespace tileplan {
namespace {

/// Returns how many forms the tiles along `dim` have, which differ in more than addresses: at the
/// padding, in the first and the last part of the sum, and in a last vector that is not full.
std::int64_t forms_along(const Computation& computation, const Nest& nest, Dim dim) {
  constexpr std::int64_t kFirstBetweenLast = 3, kOthersLast = 2;
  if (computation.role(dim) == Role::reduction) return kFirstBetweenLast;
  if (reads_padding_along(computation.tensor(Operand::input), dim)) return kFirstBetweenLast;
  const bool is_ragged =
      dim == nest.vectorised && box_inside(nest, 0)[dim] > computation.extent(dim);
  return is_ragged ? kOthersLast : 1;
}

/// Returns the position of the innermost lambda; 0 when there is none.
std::size_t innermost_lambda(const Nest& nest) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < nest.loops.size(); ++i)
    if (nest.loops[i].is_lambda()) first = i;
  return first;
}

}  // namespace

double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch) {
  constexpr int kLoopsPerCall = 2;
  const std::size_t innermost = innermost_lambda(nest);
  double calls = 1;
  int joined = 0;
  for (std::size_t i = reduction_band(computation, branch.nest); i-- > 0;) {
    const NestLoop& loop = branch.nest.loops[i];
    if (!loop.is_active()) continue;
    if (joined == kLoopsPerCall || i < innermost) {
      calls *= static_cast<double>(loop.trips);
      continue;
    }
    const std::int64_t forms = forms_along(computation, nest, loop.dim);
    calls *= static_cast<double>(std::min(loop.trips, forms));
    joined = forms > 1 || loop.parallel ? kLoopsPerCall : joined + 1;
  }
  return calls;
}

}  // namespace tileplan
