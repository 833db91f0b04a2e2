// SPDX-License-Identifier: Apache-2.0
// A memory layout tells where the elements of a tensor are stored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "product.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Maps index i to (i / block) * outer + (i % block) * stride, or to i * stride if `block` is 0.
struct AxisLayout {
  std::int64_t stride = 1;
  std::int64_t block = 0;
  std::int64_t outer = 0;

  std::int64_t offset(std::int64_t i) const {
    return block == 0 ? i * stride : (i / block) * outer + (i % block) * stride;
  }
  /// Returns true when a loop that covers `all` of `extent` indices in steps of `step` is linear in
  /// memory: the axis has no blocks, or the loop steps by whole blocks or stays inside one block.
  bool is_linear(std::int64_t step, std::int64_t all, std::int64_t extent) const {
    return block == 0 || step % block == 0 || block % all == 0 || (all <= block && all == extent);
  }
  bool operator==(const AxisLayout&) const = default;
};

struct TensorLayout {
  std::vector<AxisLayout> axes;  ///< Holds one axis per index of the tensor.
  /// Counts the elements of the buffer, including the padding of blocks and the gaps between rows.
  std::int64_t elements = 0;

  bool operator==(const TensorLayout&) const = default;
};

/// Returns the reason why this tensor cannot have `layout`, or empty text when it can. Only
/// activations of a convolution can have layouts other than `plain`.
std::string why_no_layout(const Computation& computation, Operand operand, Layout layout);

/// Returns true when `layout` has no blocks, or when its blocks are whole strips of `tensor`.
bool holds_strips(Layout layout, const TensorAccess& tensor);

/// Returns the memory layout of one tensor. `plain` is row-major in the order of the indices with
/// the problem's leading dimensions. Weights are always plain, because kernels that pack them do so
/// in orders of their own. Throws Error with the text of why_no_layout, or when the tensor exceeds
/// 2^63 - 1 elements.
TensorLayout layout_of(const Computation& computation, Operand operand, Layout layout);

/// Returns true when the elements of every vector of `lanes` along `vectorised` are adjacent in
/// `layout`, or the tensor lacks that dimension. Returns false for blocks of more than `lanes`
/// channels, although vectors inside such a block are adjacent.
bool holds_vectors(const TensorAccess& access, const TensorLayout& layout, Dim vectorised,
                   int lanes);

/// Returns the offset in `layout` of the element at iteration `point`, minus that of the element at
/// iteration 0.
std::int64_t element_at(const TensorAccess& access, const TensorLayout& layout, const Tile& point);

/// Returns the bytes between the first and the last element of `operand` that a register tile of
/// `tile` iterations touches in one reduction step. Displacements in instructions have 32 bits, so
/// the result must be at most kFarthestTile, which leaves room for the unrolled steps.
std::int64_t tile_reach(const Computation& computation, Operand operand, const TensorLayout& layout,
                        const Tile& tile);
constexpr std::int64_t kFarthestTile = std::int64_t{1} << 30;

/// Returns the reason why some vector of `lanes` outputs along `vectorised` does not begin at a
/// multiple of `lanes` elements in `layout`, or empty text. Streaming stores require alignment.
std::string why_unaligned(const Computation& computation, const TensorLayout& layout,
                          Dim vectorised, int lanes);

/// Returns the layout of a packed copy of the input elements that `box` touches, relative to the
/// first iteration of the box. The index of `vectorised` is innermost if the input has it, and that
/// of the first reduction dimension comes next. The innermost rows are as far apart as uncrowded()
/// says (crowded_rows.h). Gaps that strides leave are not stored. Sizes below 1 count as 1. Throws
/// Error when an index decreases as an iterator increases, or when the box has more than 2^63 - 1
/// elements. Example: 14 outputs of a 1x1 filter with stride 2 and 64 channels are 14 rows of 64.
TensorLayout packed_layout(const Computation& computation, const Tile& box, Dim vectorised);

/// Returns the layout of the bias, with one axis per index of the output. The bias is row-major in
/// the output dimensions that only the weights also have, and in the groups of a convolution. The
/// axes of all other dimensions have stride 0, and so has the axis of the batch of a matrix
/// product. With `per_batch`, however, the products of a batch have rows of their own, unless they
/// share B.
TensorLayout bias_layout(const Computation& computation, bool per_batch = false);

/// Returns true when outputs that are neighbours along `dim` have different biases that are
/// adjacent in the layout of bias_layout(). Requires that vectors along `dim` are contiguous in the
/// output.
bool has_bias_along(const Computation& computation, Dim dim, bool per_batch = false);

struct Repeat {
  Dim dim{};
  std::int64_t count = 1;
  std::int64_t step = 1;
};

/// Describes a block of channels that a loop or a list of parts cuts (see cut_block).
struct CutBlock {
  std::int64_t elements = 0;  ///< Counts the elements of the block along its axis.
  /// Counts the iterations of the loop, or of the dimension of the list, that fill the block,
  /// rounded down.
  std::int64_t points = 0;
};

/// Returns the block of `layout` that `loop` cuts. Returns nothing when `operand` has no blocks
/// along `loop`, or when `loop` steps by whole blocks or stays inside one block. Example: a loop
/// over 32 groups of 2 channels cuts blocks of 16 channels after 8 points.
std::optional<CutBlock> cut_block(const Computation& computation, Operand operand,
                                  const TensorLayout& layout, const Repeat& loop);

/// Returns the block of `layout` inside which one of the `parts` of a list L(dim,[...]) begins.
/// Returns nothing when `operand` has no blocks along `dim`, or when all parts begin at whole
/// blocks or the list stays inside one block. Example: in L(g,[1*1,2*1]) with groups of 4 channels,
/// the second part begins inside a block of 8 channels.
std::optional<CutBlock> cut_block(const Computation& computation, Operand operand,
                                  const TensorLayout& layout, Dim dim,
                                  const std::vector<Part>& parts);

}  // namespace tileplan
