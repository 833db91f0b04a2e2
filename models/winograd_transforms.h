// SPDX-License-Identifier: Apache-2.0
// This file counts the work of Winograd transforms and turns it into cycles: models/README.md eq.
// (W5).
#pragma once

#include <cstdint>

#include "tileplan/machine.h"
#include "winograd_matrices.h"

namespace tileplan {

/// Counts vector instructions of one transform of one tile.
struct TransformWork {
  std::int64_t arithmetic = 0;  ///< Counts additions, multiplications and multiply-adds.
  std::int64_t loads = 0, stores = 0;
};

/// Returns the work of B^T d B, which loads a tile of inputs and stores `tile.products()` numbers.
TransformWork input_work(const WinogradTile& tile);
/// Returns the work of A^T M A, which loads `tile.products()` numbers and stores the outputs.
TransformWork output_work(const WinogradTile& tile);

/// Returns a lower bound on the cycles of `work` that the ports of `unit` set. Example: 144
/// operations, 36 loads and 36 stores take 72 cycles on two multiply-add units and one store port.
double port_cycles(const TransformWork& work, const VectorUnit& unit);

/// Returns the measured rate of the transforms of `tile`. Without a measured one, the result is an
/// estimate by port_cycles() and the bandwidth of the first link, corrected by the ratio of
/// measured to estimated cycles of the measured tile with the most similar number of products, if
/// any tile was measured.
TransformRate transform_rate(const WinogradTile& tile, const Machine& machine);

}  // namespace tileplan
