// SPDX-License-Identifier: Apache-2.0
// Weights in the order in which a loop tree reads them; activations between layouts.
#pragma once

#include <span>

#include "loop_nest.h"
#include "weights_order.h"

namespace tileplan {

/// Fills `packed` (order.elements() numbers, float or double) from `weights` in the plain layout;
/// channels beyond the extent are zero.
template <class Number>
void pack_weights(const Computation& computation, const WeightsOrder& order,
                  std::span<const Number> weights, Number* packed);

/// to[c][p] = from[p][c] for each of `images`: rows x columns -> columns x rows.
struct Transposition {
  std::int64_t images = 1, rows = 1, columns = 1;
};

/// Those of the columns in `share`. Number: float or double.
template <class Number>
void transpose(const Transposition& shape, const Number* from, Number* to, Share share);

}  // namespace tileplan
