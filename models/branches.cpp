// SPDX-License-Identifier: Apache-2.0
// Expands the lambdas of a nest recursively.
#include "branches.h"

#include <algorithm>

#include "integers.h"

namespace tileplan {
namespace {

/// Returns the first loop inside the lambda at `lambda` and inside the loop that it sizes.
std::size_t sized_until(const Nest& nest, std::size_t lambda) {
  for (std::size_t i = nest.loops.size(); i-- > lambda + 1;)
    if (nest.loops[i].dim == nest.loops[lambda].dim && nest.loops[i].trips == 0) return i + 1;
  return lambda + 1;
}

void add_branches(const Branch& branch, std::size_t from, std::size_t limit,
                  std::vector<Branch>& branches) {
  std::size_t at = from;
  while (at < limit && !branch.nest.loops[at].is_lambda()) ++at;
  if (at == limit) {
    branches.push_back(branch);
    return;
  }
  const std::size_t kernel_loops = std::max(branch.kernel_loops, sized_until(branch.nest, at));
  for (const Part& part : branch.nest.loops[at].parts)
    add_branches({with_part(branch.nest, at, part), kernel_loops}, at + 1, limit, branches);
}

}  // namespace

std::vector<Branch> branches_of(const Nest& nest, std::size_t limit) {
  std::vector<Branch> branches;
  add_branches({nest, 0}, 0, limit, branches);
  return branches;
}

std::vector<Branch> branches_of(const Nest& nest) { return branches_of(nest, nest.loops.size()); }

Tile largest_box_inside(const Nest& nest, std::size_t position) {
  Tile largest{};
  for (const Branch& branch : branches_of(nest, position)) {
    const Tile box = box_inside(branch.nest, position);
    std::transform(box.values.begin(), box.values.end(), largest.values.begin(),
                   largest.values.begin(),
                   [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  return largest;
}

std::int64_t iterations_of(const Nest& nest, std::size_t first, std::size_t last,
                           std::uint32_t dims) {
  std::int64_t iterations = 1;
  for (std::size_t i = first; i < last; ++i) {
    const NestLoop& loop = nest.loops[i];
    if ((dims >> index(loop.dim) & 1) == 0) continue;
    if (!loop.is_lambda()) {
      iterations *= loop.trips;
      continue;
    }
    std::int64_t parts = 0;
    for (const Part& part : loop.parts)
      parts += part.times * iterations_of(with_part(nest, i, part), i + 1, last, dims);
    return iterations * parts;
  }
  return iterations;
}

RegisterTile register_tile(const Computation& computation, const Nest& nest, int lanes) {
  std::int64_t pixels = 1;
  for (int d = 0; d < computation.dims(); ++d)
    if (Dim{d} != nest.vectorised && computation.role(Dim{d}) != Role::reduction)
      pixels *= nest.base[Dim{d}];
  const Dim channel = weights_dim(computation, nest.vectorised);
  return {.pixels = static_cast<int>(pixels),
          .vectors = static_cast<int>(ceil_div(nest.base[nest.vectorised], lanes)),
          .vector_input = is_present(computation.tensor(Operand::input), nest.vectorised),
          .channels = channel == nest.vectorised ? 0 : static_cast<int>(nest.base[channel])};
}

Calls calls_of(const Computation& computation, const Branch& branch) {
  Calls result;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == Role::reduction)
      result.steps *= static_cast<double>(branch.nest.base[Dim{d}]);
  bool around_tile = true;
  double splits = 1;  // calls per output tile
  for (std::size_t i = branch.nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = branch.nest.loops[i];
    if (loop.trips == 1) continue;
    around_tile =
        around_tile && i >= branch.kernel_loops && computation.role(loop.dim) == Role::reduction;
    (around_tile ? result.steps : result.calls) *= static_cast<double>(loop.trips);
    if (!around_tile && computation.role(loop.dim) == Role::reduction)
      splits *= static_cast<double>(loop.trips);
  }
  result.resumed = result.calls - result.calls / splits;
  return result;
}

std::size_t reduction_band(const Computation& computation, const Nest& nest) {
  std::size_t band = nest.loops.size();
  while (band > 0) {
    const NestLoop& loop = nest.loops[band - 1];
    if (loop.is_active() && computation.role(loop.dim) != Role::reduction) break;
    --band;
  }
  return band;
}

std::int64_t calls_inside(const Nest& nest, std::size_t loop, std::size_t band) {
  return iterations_of(nest, loop + 1, band, kAllDims);
}

std::optional<std::size_t> loops_outside_equal(const Nest& nest, const Tile& box) {
  for (std::size_t position = 0; position <= nest.loops.size(); ++position)
    if (box_inside(nest, position) == box) return position;
  return std::nullopt;
}

std::size_t loops_outside(const Computation& computation, const Nest& nest, const Tile& cut) {
  if (const auto position = loops_outside_equal(nest, cut)) return *position;
  for (const Branch& branch : branches_of(nest))  // inside a lambda, a box of one of its parts
    if (const auto position = loops_outside_equal(branch.nest, cut)) return *position;
  std::size_t position = 0;
  for (; position < nest.loops.size(); ++position) {
    const Tile box = box_inside(nest, position);
    bool held = true;
    for (int d = 0; d < computation.dims(); ++d) held = held && box[Dim{d}] <= cut[Dim{d}];
    if (held) break;
  }
  return position;
}

}  // namespace tileplan
