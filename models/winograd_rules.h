// SPDX-License-Identifier: Apache-2.0
// This file tells which problems Winograd convolutions can compute, and which loops and marks their
// schedules may have.
#pragma once

#include <string>

#include "nest.h"
#include "tileplan/problem.h"
#include "winograd_matrices.h"

namespace tileplan {

/// Returns the rule that keeps `problem` from being computed by Winograd convolutions, or empty
/// text. Winograd convolutions compute 1-D and 2-D convolutions of f32 with stride 1, and with
/// dilation 1 in each direction of more than one tap. The filter must have 1 to 7 taps per
/// direction, and more than one in at least one direction.
std::string why_no_winograd(const Problem& problem);

/// Throws Error with the text of why_no_winograd() unless it is empty, or when the taps of `tile`
/// differ from those of the filter.
void check_winograd(const Problem& problem, const WinogradTile& tile);

/// Returns the matrices of `tiles` for `problem`. Throws Error with the rule when Winograd
/// convolutions cannot compute `problem`, when a tile has more than kMostWinogradInputs inputs in a
/// direction or several outputs in a direction with one tap, when F(m, r) without given points is
/// neither F(1, 1) nor among winograd_sizes(), and when given points do not define F(m, r).
WinogradTile winograd_tile(const Problem& problem, const WinogradTiles& tiles);

/// Throws Error when `marks` have Winograd tiles and the loops of `nest` over winograd_products()
/// break one of these rules: vectors hold output channels, both boxes are packed inside loops of
/// the nest, weights are packed beforehand, the loop over the products of a tile is inside both
/// boxes, loops over input channels are inside the box of the output and parallel loops are outside
/// it, the box of the input holds all input channels or whole vectors of them, and stores do not
/// bypass the caches. Does nothing without Winograd tiles.
void check_winograd_nest(const Computation& products, const Nest& nest, const Marks& marks,
                         int lanes);

}  // namespace tileplan
