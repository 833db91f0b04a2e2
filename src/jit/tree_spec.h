// SPDX-License-Identifier: Apache-2.0
// The builder of a loop tree and its microkernel calls share these options.
#pragma once

#include "loop_program.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// The options of a tree, besides the nest.
struct TreeSpec {
  Isa isa = Isa::avx512;
  LoweringSpec lowering;  ///< build_tree sets `lanes` and `target`
  int prefetch = 0;       ///< Schedule::prefetch
  Epilogue epilogue = {};
};

/// Returns what `compile` builds for `schedule`. Throws Error when a layout does not exist.
TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue = {});

}  // namespace tileplan
