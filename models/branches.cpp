// SPDX-License-Identifier: Apache-2.0
// Expands the lambdas of a nest.
#include "branches.h"

#include "integers.h"

namespace tileplan {
namespace {

std::int64_t inner_trips(const Nest& nest, std::size_t position) {
  std::int64_t trips = 1;
  for (std::size_t i = position + 1; i < nest.loops.size(); ++i)
    if (nest.loops[i].dim == nest.loops[position].dim) trips *= nest.loops[i].trips;
  return trips;
}

void add_branches(const Branch& branch, std::size_t from, std::size_t limit,
                  std::vector<Branch>& branches) {
  std::size_t at = from;
  while (at < limit && !branch.nest.loops[at].is_lambda()) ++at;
  if (at == limit) {
    branches.push_back(branch);
    return;
  }
  const NestLoop& lambda = branch.nest.loops[at];
  for (const Part& part : lambda.parts) {
    Branch next = branch;
    next.kernel_loops = at + 1;
    next.nest.base[lambda.dim] = part.size / inner_trips(branch.nest, at);
    next.nest.loops[at] = {.dim = lambda.dim, .trips = part.times, .parts = {}, .parallel = false};
    add_branches(next, at + 1, limit, branches);
  }
}

}  // namespace

std::vector<Branch> branches_of(const Nest& nest, std::size_t limit) {
  std::vector<Branch> branches;
  add_branches({nest, 0}, 0, limit, branches);
  return branches;
}

std::vector<Branch> branches_of(const Nest& nest) { return branches_of(nest, nest.loops.size()); }

RegisterTile register_tile(const Computation& computation, const Nest& nest, int lanes) {
  std::int64_t pixels = 1;
  for (int d = 0; d < computation.dims(); ++d)
    if (Dim{d} != nest.vectorised && role(computation, Dim{d}) != Role::reduction)
      pixels *= nest.base[Dim{d}];
  return {.pixels = static_cast<int>(pixels),
          .vectors = static_cast<int>(ceil_div(nest.base[nest.vectorised], lanes)),
          .vector_input = is_present(computation.tensors.front(), nest.vectorised)};
}

Calls calls_of(const Computation& computation, const Branch& branch) {
  Calls result;
  for (int d = 0; d < computation.dims(); ++d)
    if (role(computation, Dim{d}) == Role::reduction)
      result.steps *= static_cast<double>(branch.nest.base[Dim{d}]);
  bool around_tile = true;
  double splits = 1;  // calls per output tile
  for (std::size_t i = branch.nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = branch.nest.loops[i];
    if (loop.trips == 1) continue;
    around_tile =
        around_tile && i >= branch.kernel_loops && role(computation, loop.dim) == Role::reduction;
    (around_tile ? result.steps : result.calls) *= static_cast<double>(loop.trips);
    if (!around_tile && role(computation, loop.dim) == Role::reduction)
      splits *= static_cast<double>(loop.trips);
  }
  result.resumed = result.calls - result.calls / splits;
  return result;
}

}  // namespace tileplan
