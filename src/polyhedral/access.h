// SPDX-License-Identifier: Apache-2.0
// Tensor accesses: each index of an array is an affine function of the loop iterators.
#pragma once

#include <string>
#include <vector>

#include "dims.h"
#include "tileplan/problem.h"

namespace tileplan {

/// coefficient * iterator.
struct Term {
  Dim dim{};
  std::int64_t coefficient = 1;

  bool operator==(const Term&) const = default;
};

/// One index of an access: offset + sum of terms, inside an array of `extent` elements. Indices
/// outside [0, extent) read as zero (padding); `clipped` says that they occur.
struct DataDim {
  std::vector<Term> terms;
  std::int64_t offset = 0;
  std::int64_t extent = 1;
  bool clipped = false;

  bool operator==(const DataDim&) const = default;
};

/// One tensor access. Condition C1 holds: an iterator occurs in at most one data dimension.
struct TensorAccess {
  std::string name;  ///< "In", "Ker", "Out"; gemm "A", "B", "C"
  ElementType type = ElementType::f32;
  std::vector<DataDim> data;
  int transfers = 1;  ///< w_t: 1 for inputs, 2 for the accumulated output

  std::int64_t element_bytes() const { return bytes_of(type); }
  bool operator==(const TensorAccess&) const = default;
};

/// The part that a dim plays in a product of two operands.
enum class Role {
  pixel,      ///< in the input and the output: rows of the register tile (n h w; gemm i)
  channel,    ///< in the weights and the output: vectorised (k; gemm j)
  reduction,  ///< not in the output (c r s; gemm k)
  batch,      ///< in all three (g; gemm b)
};

/// The three tensors by their part in the product.
enum class Operand : int { input = 0, weights = 1, output = 2 };
constexpr int kOperands = 3;

/// Returns the factor of `dim` in the index; 0 when it does not occur.
inline std::int64_t coefficient_of(const DataDim& data, Dim dim) {
  for (const Term& term : data.terms)
    if (term.dim == dim) return term.coefficient;
  return 0;
}

/// True when `dim` occurs in the index. It is inline because a plan asks a million times.
inline bool is_present(const DataDim& data, Dim dim) {
  for (const Term& term : data.terms)
    if (term.dim == dim) return true;
  return false;
}

/// True when `dim` occurs in the access.
inline bool is_present(const TensorAccess& tensor, Dim dim) {
  for (const DataDim& data : tensor.data)
    if (is_present(data, dim)) return true;
  return false;
}

/// Returns true when elements along `dim` may lie in the padding around the array.
inline bool reads_padding_along(const TensorAccess& tensor, Dim dim) {
  for (const DataDim& data : tensor.data)
    if (data.clipped && is_present(data, dim)) return true;
  return false;
}

}  // namespace tileplan
