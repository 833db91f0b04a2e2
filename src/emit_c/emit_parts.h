// SPDX-License-Identifier: Apache-2.0
// This file declares functions that write parts of an emitted file.
#pragma once

#include <limits>
#include <string>

#include "emit_index.h"
#include "target.h"

namespace tileplan {

/// A limit of an epilogue with this absolute value does not clamp.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Writes the types of vectors and all macros that the loops use on the target, KERNEL included.
void emit_macros(CWriter& out, const EmitContext& context, const TargetRow& row);

/// Writes the macro KERNEL, which holds the attributes of functions that use the vectors of the
/// target. `more_features` is added to the features in the target attribute, such as ",avx512bw".
void emit_kernel_macro(CWriter& out, const TargetRow& row, const std::string& more_features = {});

/// Writes the loops that copy `weights` to `packed` in the order and type in which `node` reads
/// them, and transform them for a Winograd convolution. `node` begins at the indices `at`. Elements
/// outside the tensor become zero.
void emit_packing(CWriter& out, const EmitContext& context, const WeightsOrder& order,
                  const ProgramNode& node, Indices at);

/// Writes the C types of strips (polyhedral/strips.h), and before them the include of intrinsics if
/// the target has any.
void emit_strip_types(CWriter& out, const EmitContext& context, const TargetRow& row);
/// Writes the macros that broadcast strips and add their products to sums.
void emit_products(CWriter& out, const EmitContext& context, const TargetRow& row);

/// Writes a macro that rounds a product of vectors. Without it, compilers would contract the
/// product and a later sum, which rounds once instead of twice. The macro does nothing in scalar C,
/// and in C for NEON that is compiled for other processors.
void emit_rounding_macro(CWriter& out, const EmitContext& context, const TargetRow& row);

/// Locates one register tile in the iteration space.
struct TileSite {
  Tile base{};
  Indices at;          ///< The tile begins at these indices.
  Indices box_at;      ///< The packed box of the input, if any, begins at these indices.
  Indices sums_at;     ///< The box of the output, if any, begins at these indices.
  LinearText step;     ///< This many reduction steps precede the tile.
  LinearText weights;  ///< The block of packed weights begins at this offset.
  LinearText rows;     ///< The tile begins with this row of the block of packed weights.
};

/// Writes a block with the accumulators, reduction loops, epilogue and stores of one register tile.
void emit_tile(CWriter& out, const EmitContext& context, const TileSite& site);

/// Returns a C constant for `value`, which must be finite, rounded to the type of the sums.
std::string number_text(const EmitContext& context, double value);

/// Describes one accumulator of a register tile as C text.
struct SumText {
  std::string sum;     ///< This variable holds the sum.
  std::string output;  ///< The first lane is stored at this address.
  std::string bias;    ///< The bias of the first lane is at this address.
  bool cut = false;    ///< If true, only the first `lanes` lanes exist.
};

/// Returns true when the epilogue has steps after the scaling: a bias, a residual, an activation or
/// limits.
bool follows_sum(const Epilogue& epilogue);

/// Writes the macros that emit_epilogue() and emit_limits() use. Activations also need the macro
/// that emit_rounding_macro() writes.
void emit_epilogue_macros(CWriter& out, const EmitContext& context);

/// Writes the scaling of a sum: alpha times the sum plus beta times the output. With `split`, only
/// the first part of a reduction multiplies the output by beta. Nothing is written unless
/// scales_sums() returns true.
void emit_scaled_sum(CWriter& out, const EmitContext& context, const SumText& text, bool split);

/// Writes code that applies the activation and the limits to the variable `sum`.
void emit_limits(CWriter& out, const EmitContext& context, const Epilogue& epilogue,
                 const std::string& sum);

/// Writes the steps after the scaling: bias, residual, activation and limits, in this order. Lanes
/// outside the tensor become zero.
void emit_epilogue(CWriter& out, const EmitContext& context, const SumText& text);

}  // namespace tileplan
