// SPDX-License-Identifier: Apache-2.0
// Each index of a tensor access is an affine function of the loop iterators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dims.h"
#include "tileplan/problem.h"

namespace tileplan {

struct Term {
  Dim dim{};
  std::int64_t coefficient = 1;

  bool operator==(const Term&) const = default;
};

/// Describes one index of an access (a data dim): offset + sum of terms. Values in [0, extent) are
/// stored. Elements at other values read as zero (padding), and `clipped` is true when such values
/// occur.
struct DataDim {
  std::vector<Term> terms;
  std::int64_t offset = 0;
  std::int64_t extent = 1;
  bool clipped = false;

  bool operator==(const DataDim&) const = default;
};

/// Describes the accesses to one tensor. Condition C1 holds: an iterator occurs in at most one
/// index.
struct TensorAccess {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<DataDim> data;
  /// Counts how often a moved element crosses a link: once if it is of an input, and twice if it is
  /// of the output, which is read and written.
  int transfers = 1;
  /// Counts the elements of `type` in a strip (strips.h), which is one element for the loops.
  int strip = 1;
  /// Tells whether the loops cannot use the caller's tensor in any layout, because it has another
  /// type, no strips, or no zeros where the loops read padding. They then use a copy, unless
  /// kernels convert the sums to the type of the output in registers (fused_conversion.h).
  bool copied = false;

  std::int64_t element_bytes() const { return strip * bytes_of(type); }
  bool operator==(const TensorAccess&) const = default;
};

enum class Role {
  /// The dimension occurs in the input and the output, but not in the weights. Unless vectors lie
  /// along it, it counts rows of the register tile (n, d, h and w of a convolution, i of a matrix
  /// product).
  pixel,
  channel,    ///< Only the weights and the output have the dimension (k; gemm j).
  reduction,  ///< The output lacks the dimension (c t r s; gemm k).
  batch,      ///< All three tensors have the dimension (g; gemm b).
};

enum class Operand : int { input = 0, weights = 1, output = 2 };
constexpr int kOperands = 3;

/// Returns the coefficient of `dim` in the index, or 0 when `dim` does not occur.
inline std::int64_t coefficient_of(const DataDim& data, Dim dim) {
  for (const Term& term : data.terms)
    if (term.dim == dim) return term.coefficient;
  return 0;
}

inline bool is_present(const DataDim& data, Dim dim) { return coefficient_of(data, dim) != 0; }

struct Occurrence {
  std::size_t index = 0;
  std::int64_t coefficient = 0;
};

/// Returns the only term over `dim` and its index, or nothing. The function is inline because one
/// plan calls it a million times.
inline std::optional<Occurrence> find_term(const TensorAccess& tensor, Dim dim) {
  for (std::size_t i = 0; i < tensor.data.size(); ++i)
    if (const std::int64_t coefficient = coefficient_of(tensor.data[i], dim); coefficient != 0)
      return Occurrence{i, coefficient};
  return std::nullopt;
}

inline bool is_present(const TensorAccess& tensor, Dim dim) {
  return find_term(tensor, dim).has_value();
}

/// Returns true when the elements have at most 8 bytes, the largest size that can be copied to
/// packed boxes.
inline bool is_packable(const TensorAccess& input) {
  constexpr std::int64_t kMostBytes = 8;
  return input.element_bytes() <= kMostBytes;
}

/// Returns true when some iterations of `dim` may read padding.
inline bool reads_padding_along(const TensorAccess& tensor, Dim dim) {
  const auto term = find_term(tensor, dim);
  return term && tensor.data[term->index].clipped;
}

}  // namespace tileplan
