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
  /// Names the dimensions in the order of the domain, for example n g k c h w r s or b i j k.
  std::vector<std::string> names;
  /// Gives the extent of each dimension, in the order of `names`.
  std::vector<std::int64_t> extents;
  /// Describes the tensors, in the order of Operand.
  std::vector<TensorAccess> tensors = {};
  std::string domain;                       ///< This is the domain as isl text.
  std::vector<std::string> relations = {};  ///< Holds one relation per tensor, as isl text.
  /// Gives the role of each dimension, which the tensors that have the dimension determine.
  PerDim<Role> roles = {};
  /// Counts the products of one iteration, which multiplies the elements of two strips in pairs.
  int products = 1;
  Problem problem;

  int dims() const { return static_cast<int>(extents.size()); }
  const TensorAccess& tensor(Operand operand) const {
    return tensors[static_cast<std::size_t>(operand)];
  }
  Role role(Dim dim) const { return roles[dim]; }
  std::int64_t extent(Dim dim) const { return extents[static_cast<std::size_t>(dim)]; }
  /// Returns the bytes of the smallest element among the tensors. Capacities are counted in units
  /// of this size, so a unit is one element when all tensors have one type.
  std::int64_t unit_bytes() const {
    std::int64_t least = tensors.front().element_bytes();
    for (const TensorAccess& tensor : tensors) least = std::min(least, tensor.element_bytes());
    return least;
  }
  const std::string& name(Dim dim) const { return names[static_cast<std::size_t>(dim)]; }
  /// Returns the dimension called `name`. Throws Error with `name` and the dimensions that exist.
  Dim dim(const std::string& name) const;
};

inline Tile extents_of(const Computation& computation) {
  Tile extents{};
  for (int d = 0; d < computation.dims(); ++d) extents[Dim{d}] = computation.extent(Dim{d});
  return extents;
}

/// Returns the number of operations, 2 per product, including products on padding and in incomplete
/// strips.
double flops(const Computation& computation);

void set_roles(Computation& computation);

/// Sets `domain`, `relations` and `roles` again after dimensions have changed.
void derive_fields(Computation& computation);

}  // namespace tileplan
