// SPDX-License-Identifier: Apache-2.0
// This file visits the elements of a tensor in row-major order, with their offsets in a layout, and
// computes the error of an element.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.h"

namespace tileplan::test {

inline std::vector<std::int64_t> extents_of(const TensorAccess& tensor) {
  std::vector<std::int64_t> extents;
  for (const DataDim& data : tensor.data) extents.push_back(data.extent);
  return extents;
}

/// Returns the number of elements of `tensor`, without the padding of a layout.
inline std::size_t elements_of(const TensorAccess& tensor) {
  std::size_t elements = 1;
  for (const DataDim& data : tensor.data) elements *= static_cast<std::size_t>(data.extent);
  return elements;
}

/// Calls visit(number, offset) for each element. Elements are numbered in row-major order, and the
/// offset is the position in `layout`.
template <class Visit>
void for_each_element(const std::vector<std::int64_t>& extents, const TensorLayout& layout,
                      Visit visit) {
  std::vector<std::int64_t> at(extents.size(), 0);
  for (std::size_t plain = 0;; ++plain) {
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < at.size(); ++a) offset += layout.axes[a].offset(at[a]);
    visit(plain, static_cast<std::size_t>(offset));
    std::size_t a = at.size();
    while (a > 0 && ++at[a - 1] == extents[a - 1]) at[--a] = 0;
    if (a == 0) return;
  }
}

/// Returns |got - expected|, or infinity if the difference is NaN, which std::max() can ignore.
inline double element_error(double got, double expected) {
  const double error = std::abs(got - expected);
  return std::isnan(error) ? HUGE_VAL : error;
}

}  // namespace tileplan::test
