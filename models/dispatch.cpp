// SPDX-License-Identifier: Apache-2.0
// The number of calls is the product of the trips of the loops outside a call and of the kernel
// variants that the loops inside a call need.
#include "dispatch.h"

#include <algorithm>

namespace tileplan {
namespace {

/// Returns the largest number of kernel variants that the tiles along `dim` may need. Tiles at the
/// padding, at the first and last part of a sum, and at a partial last vector have variants of
/// their own.
std::int64_t forms_along(const Computation& computation, const Nest& nest, Dim dim) {
  constexpr std::int64_t kFirstBetweenLast = 3, kOthersLast = 2;
  if (computation.role(dim) == Role::reduction ||
      reads_padding_along(computation.tensor(Operand::input), dim))
    return kFirstBetweenLast;
  const bool is_ragged =
      dim == nest.vectorised && box_inside(nest, 0)[dim] > computation.extent(dim);
  return is_ragged ? kOthersLast : 1;
}

}  // namespace

double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch) {
  constexpr int kLoopsPerCall = 2;
  const auto lambda = std::find_if(nest.loops.rbegin(), nest.loops.rend(),
                                   [](const NestLoop& loop) { return loop.is_lambda(); });
  const auto inside_lambdas = static_cast<std::size_t>(nest.loops.rend() - lambda);
  double calls = 1;
  int joined = 0;
  for (std::size_t i = microkernel_begin(computation, branch); i-- > 0;) {
    const NestLoop& loop = branch.nest.loops[i];
    if (!loop.is_active()) continue;
    if (joined == kLoopsPerCall || i + 1 < inside_lambdas) {
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
