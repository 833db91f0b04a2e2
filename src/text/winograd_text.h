// SPDX-License-Identifier: Apache-2.0
// This file reads and writes the marks of a schedule that name a Winograd algorithm.
#pragma once

#include <string>
#include <string_view>

#include "tileplan/winograd.h"

namespace tileplan {

/// Sets the outputs of a tile from text such as "4x4", height first. Throws Error with the rule for
/// malformed text and for numbers that are too small or too large.
void read_outputs(std::string_view text, WinogradTiles& tiles);

/// Sets the points from text such as "0,1/2,-1/2;0,1,-1". Without `;`, both directions have the
/// points of the only list. Throws Error with the rule for malformed text, for numbers that are too
/// small or too large, and if both lists are empty.
void read_points(std::string_view text, WinogradTiles& tiles);

/// Returns the mark that names the algorithm and the outputs of a tile, such as "winograd=4x4".
std::string outputs_mark(const WinogradTiles& tiles);

/// Returns the marks of `tiles` with a blank before each, such as " winograd=4x4".
std::string text_of(const WinogradTiles& tiles);

}  // namespace tileplan
