// SPDX-License-Identifier: Apache-2.0
// A computation sums the product of two tensors into a third tensor for all iterations of a box.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "access.h"

namespace tileplan {

/// Holds a rectangular iteration domain with its accesses: out += left * right.
struct Computation {
  std::vector<std::string> names;     ///< Dims are in domain order: n g k c h w r s, or b i j k.
  std::vector<std::int64_t> extents;  ///< The order is the order of `names`.
  std::vector<TensorAccess> tensors = {};   ///< The order is the order of Operand.
  std::string domain;                       ///< The domain is written as isl text.
  std::vector<std::string> relations = {};  ///< Each tensor has one relation in isl text.
  PerDim<Role> roles = {};                  ///< The tensors that have a dim determine its role.
  Problem problem;

  int dims() const { return static_cast<int>(extents.size()); }
  const TensorAccess& tensor(Operand operand) const {
    return tensors[static_cast<std::size_t>(operand)];
  }
  Role role(Dim dim) const { return roles[dim]; }
  std::int64_t extent(Dim dim) const { return extents[static_cast<std::size_t>(dim)]; }
  std::int64_t element_bytes() const { return bytes_of(type_of(problem)); }
  /// Returns the bytes of the smallest element among the tensors. Capacities are counted in units
  /// of this size. Where all tensors have one type, a unit is an element.
  std::int64_t unit_bytes() const {
    std::int64_t least = tensors.front().element_bytes();
    for (const TensorAccess& tensor : tensors) least = std::min(least, tensor.element_bytes());
    return least;
  }
  const std::string& name(Dim dim) const { return names[static_cast<std::size_t>(dim)]; }
  /// Returns the dim called `name`. Throws Error with `name` and the dims that exist.
  Dim dim(const std::string& name) const;
};

/// Returns the whole domain as one tile.
inline Tile extents_of(const Computation& computation) {
  Tile extents{};
  for (int d = 0; d < computation.dims(); ++d) extents[Dim{d}] = computation.extent(Dim{d});
  return extents;
}

/// Returns the number of floating-point operations: 2 per point of the domain, reads of padding
/// included.
double flops(const Computation& computation);

/// Sets `roles` from the dims that each tensor has.
void set_roles(Computation& computation);

/// Sets `domain`, `relations` and `roles` again after dims were changed.
void derive_fields(Computation& computation);

}  // namespace tileplan
