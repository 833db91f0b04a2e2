// SPDX-License-Identifier: Apache-2.0
// Merging renumbers the later dimensions and joins the two indices of each tensor that has both
// dimensions.
#include "merge_dims.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace tileplan {
namespace {

/// Returns true when `dim` covers the stored extent of `data`, and all other dimensions of this
/// index have extent 1.
bool is_alone(const Computation& computation, const DataDim& data, Dim dim) {
  return data.offset == 0 && !data.clipped && data.extent == computation.extent(dim) &&
         std::ranges::all_of(data.terms, [&](const Term& term) {
           return term.dim == dim ? term.coefficient == 1 : computation.extent(term.dim) == 1;
         });
}

/// Returns true when `tensor` has neither dimension, or has each of them alone in one of two
/// adjacent indices.
bool can_merge(const Computation& computation, const TensorAccess& tensor, Dim one, Dim next) {
  const auto first = find_term(tensor, one), second = find_term(tensor, next);
  if (!first && !second) return true;
  return first && second && first->index + 1 == second->index &&
         is_alone(computation, tensor.data[first->index], one) &&
         is_alone(computation, tensor.data[second->index], next);
}

/// Returns true when the problem gives a distance above 0 between matrices of A, or any distance
/// between matrices of C. The first row of a matrix then need not follow the last row of the
/// previous one.
bool has_matrices_apart(const Computation& computation) {
  const auto* const gemm = std::get_if<GemmShape>(&computation.problem);
  return gemm != nullptr && (gemm->sa.value_or(0) > 0 || gemm->sc);
}

/// Returns the first of two consecutive dimensions that can be merged, or nothing.
std::optional<Dim> find_pair(const Computation& computation) {
  if (has_matrices_apart(computation)) return std::nullopt;
  for (int d = 0; d + 1 < computation.dims(); ++d) {
    const Dim first{d}, second{d + 1};
    if (computation.extent(first) == 1 || computation.extent(second) == 1) continue;
    const auto fits = [&](const TensorAccess& tensor) {
      return can_merge(computation, tensor, first, second);
    };
    if (std::ranges::all_of(computation.tensors, fits)) return first;
  }
  return std::nullopt;
}

void merge(TensorAccess& tensor, Dim one) {
  if (const auto first = find_term(tensor, one)) {
    const auto data = tensor.data.begin() + static_cast<std::ptrdiff_t>(first->index);
    data->terms = {{one, 1}};
    data->extent *= (data + 1)->extent;
    tensor.data.erase(data + 1);
  }
  for (DataDim& data : tensor.data)
    for (Term& term : data.terms)
      if (term.dim > one) term.dim = Dim{index(term.dim) - 1};
}

Computation merge_pair(Computation computation, Dim one) {
  const auto name = computation.names.begin() + index(one);
  const auto extent = computation.extents.begin() + index(one);
  *name += *(name + 1);
  *extent *= *(extent + 1);
  computation.names.erase(name + 1);
  computation.extents.erase(extent + 1);
  for (TensorAccess& tensor : computation.tensors) merge(tensor, one);
  derive_fields(computation);
  return computation;
}

}  // namespace

Computation merge_adjacent_dims(const Computation& computation) {
  Computation result = computation;
  while (const auto pair = find_pair(result)) result = merge_pair(std::move(result), *pair);
  return result;
}

Computation computation_of(const Problem& problem, const Schedule& schedule) {
  return ComputationVariants(problem).of(schedule);
}

ComputationVariants::ComputationVariants(const Problem& problem)
    : whole_(computation_of(problem)), merged_(merge_adjacent_dims(whole_)) {}

const Computation& ComputationVariants::of(const Schedule& schedule) const {
  const bool names_merged_dim = std::ranges::any_of(schedule.loops, [&](const Specifier& one) {
    return std::ranges::count(whole_.names, one.dim) == 0 &&
           std::ranges::count(merged_.names, one.dim) > 0;
  });
  return names_merged_dim ? merged_ : whole_;
}

}  // namespace tileplan
