// SPDX-License-Identifier: Apache-2.0
// Writes the parts of an emitted file. Each function is in the source file of its name.
#pragma once

#include <string>

#include "emit_index.h"
#include "target.h"

namespace tileplan {

/// Writes the vector type, and macros that load, broadcast and store vectors. They hide what
/// differs between instruction sets.
void emit_macros(CWriter& out, const EmitContext& context, const TargetRow& row);

/// Writes the loops that copy `weights` to `packed` in the order in which the loops of the program
/// read them; elements outside the tensor are zero.
void emit_packing(CWriter& out, const EmitContext& context);

/// Locates one register tile in the iteration space.
struct TileSite {
  Tile base{};
  Indices at;       ///< The tile begins at this iteration.
  Indices box_at;   ///< The packed box, if any, begins here.
  LinearText step;  ///< The loops around the tile made this many reduction steps.
};

/// Writes accumulators, reduction loops and stores. Throws Error for tiles that C code cannot
/// express.
void emit_tile(CWriter& out, const EmitContext& context, const TileSite& site);

/// Describes one accumulator of a register tile, as C text.
struct SumText {
  std::string sum;     ///< This variable holds the sum.
  std::string output;  ///< The first element of the sum goes to this address.
  std::string bias;    ///< The first bias is at this address.
  bool cut = false;    ///< Only `lanes` of its lanes exist.
};

/// Returns true when the epilogue changes complete sums.
bool follows_sum(const Epilogue& epilogue);

/// Writes the macros that emit_epilogue uses.
void emit_epilogue_macros(CWriter& out, const EmitContext& context);

/// Writes bias, residual and limits of a sum, in this order. Lanes that do not exist become zero.
void emit_epilogue(CWriter& out, const EmitContext& context, const SumText& text);

}  // namespace tileplan
