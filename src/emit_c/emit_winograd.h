// SPDX-License-Identifier: Apache-2.0
// This file writes the transforms of a Winograd convolution as C.
#pragma once

#include <string>

#include "emit_parts.h"

namespace tileplan {

/// Writes the functions that transform weights, tiles of the input and tiles of products. The
/// function for tiles of products applies `epilogue`.
void emit_winograd_functions(CWriter& out, const EmitContext& context, const TargetRow& row,
                             const Epilogue& epilogue);

/// Returns C text for the transformed weight at the iteration `at` of the products.
std::string transformed_weight_text(const EmitContext& context, const Indices& at);

/// Writes the loops that transform tiles of the input to its box. The tiles are those of the
/// iterations `box` from `at` on.
void emit_input_transforms(CWriter& out, const EmitContext& context, const Indices& at,
                           const Tile& box);

/// Writes the loops that transform the box of the output to tiles of the tensor. The tiles are
/// those of the iterations `box` from `at` on.
void emit_output_transforms(CWriter& out, const EmitContext& context, const Indices& at,
                            const Tile& box, const Epilogue& epilogue);

/// Writes code that clears the output if the blocks of its layout have padding.
void emit_output_clear(CWriter& out, const WinogradConvolution& convolution);

}  // namespace tileplan
