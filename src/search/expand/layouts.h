// SPDX-License-Identifier: Apache-2.0
// This file lists the layouts of activations that the search tries.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Holds the layouts of the input and the output activations.
struct Layouts {
  Layout in = Layout::plain;
  Layout out = Layout::plain;

  auto operator<=>(const Layouts&) const = default;
};

/// Returns the layouts that `choice` allows for this computation. Throws Error when an explicit
/// choice does not exist for the computation.
std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit);

/// Returns the layouts of kernels that vectorise `vectorised`. Vectors of pixels need nchw. The
/// list is empty when `choice` needs blocks of channels, in which pixels are not contiguous.
std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit, Dim vectorised);

/// Returns false where `choice` needs blocks of channels and the vectors of `unit` make none.
bool has_layouts(const Computation& computation, LayoutChoice choice, const VectorUnit& unit);

}  // namespace tileplan
