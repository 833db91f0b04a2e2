// SPDX-License-Identifier: Apache-2.0
// Packs weights in the order in which a loop tree reads them.
#pragma once

#include <span>

#include "weights_order.h"

namespace tileplan {

/// Fills `packed` from the plain `weights`; channels beyond the extent are zero. Requires:
/// `packed` has room for order.elements().
template <class Number>
void pack_weights(const Computation& computation, const WeightsOrder& order,
                  std::span<const Number> weights, Number* packed);

}  // namespace tileplan
