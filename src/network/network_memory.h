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

/// Sets the size of the arena, the offsets of the buffers in it and the steps in which they are in
/// use. Buffers that are not in use in the same step may share memory. Where possible, the output
/// of a step gets the memory of its input, and the inputs of a Concat get parts of the memory of
/// its output. Sets NetworkStep::in_place of the steps that then have no work.
void place_buffers(NetworkPlan& network);

}  // namespace tileplan
