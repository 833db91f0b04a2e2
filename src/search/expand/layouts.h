// SPDX-License-Identifier: Apache-2.0
// This file lists the layouts of activations that the search tries.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"
#include "tileplan/plan.h"

namespace tileplan {

struct Layouts {
  Layout in = Layout::plain;
  Layout out = Layout::plain;

  auto operator<=>(const Layouts&) const = default;
};

/// Returns the layouts that are tried under `choice` for this computation. Throws Error when
/// `choice` is an explicit layout that the computation cannot have.
std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit);

/// Returns the layouts of kernels that vectorise `vectorised`. For vectors of pixels of a
/// convolution this is nchw, or nhwc if `choice` is nhwc, or none if `choice` requires blocks of
/// channels, in which pixels are not contiguous. All other kernels have the layouts of the function
/// above, which may throw Error.
std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit, Dim vectorised);

/// Returns false when `choice` requires blocks but vectors of `unit` are too short for a block.
/// Requires a convolution if `choice` requires blocks.
bool has_layouts(const Computation& computation, LayoutChoice choice, const VectorUnit& unit);

}  // namespace tileplan
