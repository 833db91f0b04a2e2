// SPDX-License-Identifier: Apache-2.0
// The new dimension is the last index, so that its neighbours are contiguous. It is also the first
// dimension, because the search prefers inner channel dimensions, which then are those of the user.
#include "unit_dim.h"

#include <algorithm>
#include <string>

#include "tensor_layout.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Returns true when vectors along some channel or batch dimension are contiguous in the plain
/// input and output. Vectors of the input must not cross its border, where they would need zeros.
bool has_vectors(const Computation& computation) {
  for (int d = 0; d < computation.dims(); ++d) {
    const Role part = computation.role(Dim{d});
    if ((part == Role::channel || part == Role::batch) &&
        is_contiguous(computation, Dim{d}, Layout::plain) &&
        !reads_padding_along(computation.tensor(Operand::input), Dim{d}))
      return true;
  }
  return false;
}

std::string unused_name(const std::vector<std::string>& names) {
  // GCC 12 reports a false overlap when "u" is assigned.
  std::string name(1, 'u');
  while (std::ranges::find(names, name) != names.end()) name.push_back('u');
  return name;
}

}  // namespace

bool is_contiguous(const Computation& computation, Dim dim, Layout layout) {
  const auto holds = [&](Operand operand) {
    return holds_vectors(computation.tensor(operand), layout_of(computation, operand, layout), dim,
                         1);
  };
  return holds(Operand::input) && holds(Operand::output);
}

Computation add_unit_dim(Computation computation) {
  if (has_vectors(computation)) return computation;
  if (computation.dims() == kMaxDims)
    throw Error("relation: " + std::to_string(kMaxDims) +
                " iterators, along none of which vectors are contiguous; must be at most " +
                std::to_string(kMaxDims - 1));
  computation.names.insert(computation.names.begin(), unused_name(computation.names));
  computation.extents.insert(computation.extents.begin(), 1);
  for (TensorAccess& tensor : computation.tensors)
    for (DataDim& data : tensor.data)
      for (Term& term : data.terms) term.dim = Dim{index(term.dim) + 1};
  for (const Operand operand : {Operand::weights, Operand::output})
    computation.tensors[static_cast<std::size_t>(operand)].data.push_back({.terms = {{Dim{0}, 1}}});
  derive_fields(computation);
  return computation;
}

}  // namespace tileplan
