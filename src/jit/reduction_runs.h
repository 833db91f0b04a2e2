// SPDX-License-Identifier: Apache-2.0
// This file plans the reduction runs of a call, which skip pixels in the padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "loop_program.h"
#include "microkernel_spec.h"

namespace tileplan {

/// Lists the pixels and the reduction steps of a microkernel call, relative to its first iteration.
struct CallBox {
  std::vector<Tile> pixels, steps;
};

/// Maps an index of pixel 0 at the first step to the pattern of pixels inside the tensor.
struct GuardTable {
  std::int64_t first = 0;  ///< Entry 0 of the tables belongs to this index.
  /// Each index has this pattern number; 0 where no call begins.
  std::vector<std::uint16_t> pattern;
  /// Calls from an entry's index up to this index have equal patterns.
  std::vector<std::int64_t> last;
  std::int64_t lists = 1;  ///< Later guards have this many combinations of patterns.

  /// Returns the pattern number of a call that begins at `index`. Requires: such a call exists.
  std::uint16_t pattern_at(std::int64_t index) const {
    return pattern[static_cast<std::size_t>(index - first)];
  }
  std::int64_t last_from(std::int64_t index) const {
    return last[static_cast<std::size_t>(index - first)];
  }
};

/// Describes a run whose `body` is not set yet, because its code is not assembled.
struct PixelRun {
  ReductionRun run;
  PixelSet pixels = 0;
};

struct RunPlan {
  std::vector<GuardTable> guards;  ///< Each guarded data dim of the input has a table.
  /// The index is the sum of pattern * GuardTable::lists.
  std::vector<std::vector<PixelRun>> lists;
  std::vector<PixelSet> bodies;  ///< Exactly these sets of pixels occur in runs.
  std::int64_t step_stride = 0;  ///< Consecutive steps of a run are this many bytes apart.
  std::int64_t row_stride = 0;   ///< The weights of consecutive steps are this many bytes apart.
  std::int64_t longest = 0;
};

struct RunOptions {
  std::int64_t row_bytes = 0;   ///< Each reduction step has this many bytes of packed weights.
  bool counts_padding = false;  ///< If true, steps in which all pixels lie in padding are run too.
};

/// Plans the runs of calls. For each guarded dim, `first` lists the indices of pixel 0 at the first
/// step of all calls, ascending. Along a dim whose border vectors cross, no pixel is skipped.
RunPlan plan_runs(const Computation& computation, const LoopProgram& program, const CallBox& box,
                  const std::vector<std::vector<std::int64_t>>& first, const RunOptions& options);

/// Holds the lists of runs that become code without loops.
struct UnrolledLists {
  std::vector<std::vector<UnrolledStep>> code;
  /// A list that is unrolled has this index in `code`.
  std::vector<std::optional<std::size_t>> of_list;
};

/// Returns the lists that have several runs and are short enough to be unrolled.
UnrolledLists unrolled_lists(const RunPlan& plan, int vectors);

}  // namespace tileplan
