// SPDX-License-Identifier: Apache-2.0
// Counts the loops outside those that one call runs.
#include "dispatch.h"

#include <algorithm>

#include "branches.h"

namespace tileplan {

namespace {

/// True when tiles along `dim` differ in more than addresses.
bool changes_form(const Computation& computation, Dim dim) {
  if (role(computation, dim) == Role::reduction) return true;
  const std::vector<DataDim>& data = computation.tensors[0].data;
  return std::any_of(data.begin(), data.end(),
                     [&](const DataDim& one) { return one.clipped && is_present(one, dim); });
}

/// The innermost lambda; 0 when there is none.
std::size_t inside_lambdas(const Nest& nest) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < nest.loops.size(); ++i)
    if (nest.loops[i].is_lambda()) first = i;
  return first;
}

}  // namespace

double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch) {
  constexpr int kLoopsPerCall = 2;
  constexpr std::int64_t kForms = 3;  // first, between, last
  const std::size_t innermost = inside_lambdas(nest);
  double calls = 1;
  int merged = 0;
  for (std::size_t i = reduction_band(computation, branch.nest); i-- > 0;) {
    const NestLoop& loop = branch.nest.loops[i];
    if (!loop.is_active()) continue;
    if (merged == kLoopsPerCall || i < innermost) {
      calls *= static_cast<double>(loop.trips);
    } else if (changes_form(computation, loop.dim)) {
      calls *= static_cast<double>(std::min(loop.trips, kForms));
      merged = kLoopsPerCall;
    } else {
      ++merged;
    }
  }
  return calls;
}

}  // namespace tileplan
