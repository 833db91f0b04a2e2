// SPDX-License-Identifier: Apache-2.0
// This file lists the steps of a run and places their tensors in one arena.
#pragma once

#include "layout_choice.h"

namespace tileplan {

/// Sets the steps, the proof of the layouts and the buffers of `network` from its rewritten graph
/// and the chosen alternatives. `layers` holds the number of the layer of each node, or -1 for a
/// node without a kernel. Calls place_buffers() at the end.
void make_steps(NetworkPlan& network, const LayoutAlternatives& alternatives,
                const ChosenLayouts& chosen, const std::vector<int>& layers);

/// Sets the offsets of the buffers in the arena, and the size of the arena. Buffers that are not in
/// use in the same step may share memory. Where this is possible, the output of a step gets the
/// memory of its input, and the inputs of a Concat get parts of the memory of its output.
void place_buffers(NetworkPlan& network);

}  // namespace tileplan
