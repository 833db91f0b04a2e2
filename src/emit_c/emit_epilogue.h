// SPDX-License-Identifier: Apache-2.0
// Writes the epilogue of emitted C.
#pragma once

#include <string>

#include "c_text.h"
#include "emit_index.h"

namespace tileplan {

/// One accumulator of a register tile, as C text.
struct SumText {
  std::string sum;     ///< the variable
  std::string output;  ///< address of its first element in the output
  std::string bias;    ///< address of its first bias
  bool cut = false;    ///< only `lanes` of its lanes exist
};

/// True when there is something to do after the sum.
bool follows_sum(const Epilogue& epilogue);

/// Writes the macros of what the epilogue does to one vector.
void emit_epilogue_macros(CWriter& out, const EmitContext& context);

/// Writes bias, residual and limits of one sum, in this order. Lanes that do not exist become zero.
void emit_epilogue(CWriter& out, const EmitContext& context, const SumText& text);

/// Returns the offset of the bias of the output element at `at` plus `shift`.
std::string bias_offset_text(const EmitContext& context, const Indices& at, const Tile& shift);

}  // namespace tileplan
