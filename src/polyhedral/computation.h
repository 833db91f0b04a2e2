// SPDX-License-Identifier: Apache-2.0
// Problem -> iteration domain and access relations. After this file nothing knows "convolution".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dims.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

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

/// Where one index goes in memory: (i / block) * outer + (i % block) * stride, in elements.
/// block 0 means unblocked: i * stride.
struct AxisLayout {
  std::int64_t stride = 1;
  std::int64_t block = 0;
  std::int64_t outer = 0;

  std::int64_t offset(std::int64_t i) const {
    return block == 0 ? i * stride : (i / block) * outer + (i % block) * stride;
  }
  /// True when a loop that covers `all` of `extent` in steps of `step` is linear in memory: it
  /// steps by whole blocks or stays inside one.
  bool is_linear(std::int64_t step, std::int64_t all, std::int64_t extent) const {
    return block == 0 || step % block == 0 || block % all == 0 || (all <= block && all == extent);
  }
  bool operator==(const AxisLayout&) const = default;
};

struct TensorLayout {
  std::vector<AxisLayout> axes;  ///< one per data dimension
  std::int64_t elements = 0;     ///< size of the buffer, padding of blocks included

  bool operator==(const TensorLayout&) const = default;
};

/// One tensor access. Condition C1 holds: an iterator occurs in one data dimension at
/// most.
struct TensorAccess {
  std::string name;  ///< "In", "Ker", "Out"; gemm "A", "B", "C"
  ElementType type = ElementType::f32;
  std::vector<DataDim> data;
  int transfers = 1;  ///< w_t: 1 for inputs, 2 for the accumulated output

  std::int64_t element_bytes() const { return bytes_of(type); }
  bool operator==(const TensorAccess&) const = default;
};

/// What a dim is to a product of two operands.
enum class Role {
  pixel,      ///< in the input and the output: rows of the register tile (n h w; gemm i)
  channel,    ///< in the weights and the output: vectorised (k; gemm j)
  reduction,  ///< not in the output (c r s; gemm k)
  batch,      ///< in all three (g; gemm b)
};

/// The three tensors by their part in the product. Public API and kernels speak of these.
enum class Operand : int { input = 0, weights = 1, output = 2 };
constexpr int kOperands = 3;

/// A rectangular iteration domain with its accesses: out += left * right.
struct Computation {
  std::vector<std::string> names;      ///< of the dims, domain order: n g k c h w r s, or b i j k
  std::vector<std::int64_t> extents;   ///< of the dims, same order
  std::vector<TensorAccess> tensors;   ///< in the order of Operand
  std::string domain;                  ///< isl text of the domain
  std::vector<std::string> relations;  ///< isl text of each access, order of `tensors`
  PerDim<Role> roles;                  ///< of the dims, by the tensors that have them
  Problem problem;

  int dims() const { return static_cast<int>(extents.size()); }
  const TensorAccess& tensor(Operand operand) const {
    return tensors[static_cast<std::size_t>(operand)];
  }
  Role role(Dim dim) const { return roles[dim]; }
  std::int64_t extent(Dim dim) const { return extents[static_cast<std::size_t>(dim)]; }
  std::int64_t element_bytes() const { return bytes_of(type_of(problem)); }
  const std::string& name(Dim dim) const { return names[static_cast<std::size_t>(dim)]; }
  /// The dim called `name`; throws Error naming it and the dims that exist.
  Dim dim(const std::string& name) const;
};

/// The whole domain as one tile.
inline Tile extents_of(const Computation& computation) {
  Tile extents{};
  for (int d = 0; d < computation.dims(); ++d) extents[Dim{d}] = computation.extent(Dim{d});
  return extents;
}

/// Floating-point operations, 2 per point of the domain, border taps included: `flops` of problems,
/// of relations too.
double flops(const Computation& computation);

/// The computation of a problem: built as isl text, parsed, checked and read back from isl.
/// Throws Error for relations that are not rectangular, not affine, use an iterator twice in one
/// tensor's accesses, or are not a product of two reads accumulated into one write.
Computation computation_of(const Problem& problem);

/// True when `dim` occurs in one index of an access. Here, because a plan asks a million times.
inline bool is_present(const DataDim& data, Dim dim) {
  for (const Term& term : data.terms)
    if (term.dim == dim) return true;
  return false;
}

/// What the index moves by with each step of `dim`; 0 when it does not occur.
inline std::int64_t coefficient_of(const DataDim& data, Dim dim) {
  for (const Term& term : data.terms)
    if (term.dim == dim) return term.coefficient;
  return 0;
}

/// True when `dim` occurs in the access.
inline bool is_present(const TensorAccess& tensor, Dim dim) {
  for (const DataDim& data : tensor.data)
    if (is_present(data, dim)) return true;
  return false;
}

/// Memory layout of one tensor. nhwc, nchw and blocked need a convolution; `plain` is row-major in
/// the order of the data dims with the problem's leading dimensions. Weights are always plain here:
/// kernels pack them. Throws Error when the layout does not exist for this tensor, with the rule.
TensorLayout layout_of(const Computation& computation, Operand operand, Layout layout);

/// True when the elements of every vector of `lanes` along `vectorised` are neighbours in `layout`,
/// or the tensor does not have that dim.
bool holds_vectors(const TensorAccess& access, const TensorLayout& layout, Dim vectorised,
                   int lanes);

/// Bytes between the first and the last element of `operand` that a register tile of `tile`
/// iterations touches in one reduction step. Displacements in instructions have 32 bits: it must be
/// at most kFarthestTile, which leaves room for the steps that are unrolled.
std::int64_t tile_reach(const Computation& computation, Operand operand, const TensorLayout& layout,
                        const Tile& tile);
constexpr std::int64_t kFarthestTile = std::int64_t{1} << 30;

/// Why vectors of `lanes` outputs along `vectorised` do not all begin at multiples of `lanes`
/// elements of an output in `layout`, in words with the rule; empty when they do. Non-temporal
/// stores need it.
std::string why_unaligned(const Computation& computation, const TensorLayout& layout,
                          Dim vectorised, int lanes);

/// Memory layout of a copy of the input elements that the box `box` touches, indices relative to
/// its first iteration. Data dims keep their order but for that of the first reduction dim, which
/// is innermost, or second to that of `vectorised` where the input has it; gaps that strides leave
/// are left out. Neighbours along `vectorised` are neighbours in memory: with a stride of 2 the odd
/// indices follow the even ones. Neighbours along the second innermost data dim are never a
/// multiple of 1 KiB apart: those would share a few sets of the L1. Sizes below 1 count as 1.
/// Throws Error when an index falls as an iterator rises. Example: 14 outputs of a 1x1 filter with
/// stride 2 over 64 channels are 14 rows of 64, whatever lies between them in the input.
TensorLayout packed_layout(const Computation& computation, const Tile& box, Dim vectorised);

/// Where the bias of an output element is: a row-major array over the dims of the output that the
/// weights alone have, and over the groups of a convolution. Axes are those of the output, stride 0
/// for all others.
TensorLayout bias_layout(const Computation& computation);

/// True when outputs that are neighbours along `dim` have biases of their own, next to each other;
/// false when they share one. Requires: vectors along `dim` are contiguous in the output.
bool has_bias_along(const Computation& computation, Dim dim);

/// Exact number of distinct values that data dim `data` of tensor `operand` takes over each of
/// `boxes`, which start at the origin. isl_set_count_val.
std::vector<std::int64_t> count_values(const Computation& computation, Operand operand,
                                       std::size_t data, const std::vector<Tile>& boxes);

}  // namespace tileplan
