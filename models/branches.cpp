// SPDX-License-Identifier: Apache-2.0
// This file replaces each list of blocks (lambda) of a nest recursively by loops over its parts,
// and counts iterations of the resulting nests.
#include "branches.h"

#include <algorithm>

#include "integers.h"

namespace tileplan {
namespace {

/// Returns the position after the loop whose trips the list of blocks (lambda) at position `lambda`
/// sets, or after the list itself when it sets none.
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
    std::ranges::transform(box.values, largest.values, largest.values.begin(), std::ranges::max);
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
          .channels = channel == nest.vectorised ? 0 : static_cast<int>(nest.base[channel]),
          .row = static_cast<int>(row_pixels(computation, nest.vectorised, nest.base))};
}

std::int64_t row_pixels(const Computation& computation, Dim vectorised, const Tile& base) {
  for (int d = computation.dims() - 1; d >= 0; --d)
    if (computation.role(Dim{d}) == Role::pixel && Dim{d} != vectorised &&
        computation.extent(Dim{d}) > 1)
      return base[Dim{d}];
  return 1;
}

Calls calls_of(const Computation& computation, const Branch& branch) {
  Calls result;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == Role::reduction)
      result.steps *= static_cast<double>(branch.nest.base[Dim{d}]);
  bool around_tile = true;
  double calls_per_tile = 1;
  for (std::size_t i = branch.nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = branch.nest.loops[i];
    if (loop.trips == 1) continue;
    const bool reduces = computation.role(loop.dim) == Role::reduction;
    const auto trips = static_cast<double>(loop.trips);
    around_tile = around_tile && i >= branch.kernel_loops && reduces;
    (around_tile ? result.steps : result.calls) *= trips;
    if (!around_tile && reduces) calls_per_tile *= trips;
  }
  result.resumed = result.calls - result.calls / calls_per_tile;
  return result;
}

std::size_t microkernel_begin(const Computation& computation, const Nest& nest) {
  const auto end = std::find_if(nest.loops.rbegin(), nest.loops.rend(), [&](const NestLoop& loop) {
    return loop.is_active() && computation.role(loop.dim) != Role::reduction;
  });
  return static_cast<std::size_t>(nest.loops.rend() - end);
}

std::size_t microkernel_begin(const Computation& computation, const Branch& branch) {
  return std::max(branch.kernel_loops, microkernel_begin(computation, branch.nest));
}

std::optional<std::size_t> loops_outside_equal(const Nest& nest, const Tile& box) {
  for (std::size_t position = 0; position <= nest.loops.size(); ++position)
    if (box_inside(nest, position) == box) return position;
  return std::nullopt;
}

std::size_t loops_outside(const Computation& computation, const Nest& nest, const Tile& cut) {
  if (const auto position = loops_outside_equal(nest, cut)) return *position;
  for (const Branch& branch : branches_of(nest))
    if (const auto position = loops_outside_equal(branch.nest, cut)) return *position;
  const auto is_held = [&](const Tile& box) {
    for (int d = 0; d < computation.dims(); ++d)
      if (box[Dim{d}] > cut[Dim{d}]) return false;
    return true;
  };
  std::size_t position = 0;
  while (position < nest.loops.size() && !is_held(box_inside(nest, position))) ++position;
  return position;
}

}  // namespace tileplan
