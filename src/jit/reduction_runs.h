// SPDX-License-Identifier: Apache-2.0
// Plans the runs of a call, which follow from the register tile, the reduction and the padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "loop_program.h"
#include "microkernel_spec.h"

namespace tileplan {

/// Holds the iterations of one microkernel call, relative to the first.
struct CallBox {
  std::vector<Tile> pixels, steps;
};

/// Tells which pixels are valid along one guarded data dim, by the index of pixel 0 at step 0.
struct GuardTable {
  std::int64_t first = 0;              ///< Entry 0 is for this index.
  std::vector<std::uint16_t> pattern;  ///< These are numbers of patterns; 0 where no call begins.
  std::vector<std::int64_t> last;      ///< All calls from each entry up to here have its pattern.
  std::int64_t lists = 1;  ///< Each pattern has this many run lists, a product over later guards.

  /// Requires: a call begins at `index`.
  std::uint16_t pattern_at(std::int64_t index) const {
    return pattern[static_cast<std::size_t>(index - first)];
  }
  std::int64_t last_from(std::int64_t index) const {
    return last[static_cast<std::size_t>(index - first)];
  }
};

/// Describes a run before code exists for its pixel set.
struct PixelRun {
  ReductionRun run;
  PixelSet pixels = 0;
};

struct RunPlan {
  std::vector<GuardTable> guards;            ///< Each guarded data dim of the input has one.
  std::vector<std::vector<PixelRun>> lists;  ///< The index sums pattern * lists over the guards.
  std::vector<PixelSet> bodies;              ///< These sets of pixels occur.
  std::int64_t step_stride = 0;  ///< It counts bytes; at 0 the steps of a run read one place.
  std::int64_t longest = 0;      ///< The longest run has this many steps.
};

/// Plans the runs for the positions `first`: the indices, ascending, of pixel 0 at the first step
/// per guarded dim. All pixels take part where vectors of pixels lie across the border.
RunPlan plan_runs(const Computation& computation, const LoopProgram& program, const CallBox& box,
                  const std::vector<std::vector<std::int64_t>>& first, std::int64_t row_bytes);

/// Holds lists of runs as code without loops.
struct UnrolledLists {
  std::vector<std::vector<UnrolledStep>> code;
  std::vector<std::optional<std::size_t>> of_list;  ///< Each list of the plan may index `code`.
};

/// Returns the lists of several runs that are short enough to be unrolled.
UnrolledLists unrolled_lists(const RunPlan& plan, int vectors, std::int64_t row_bytes);

}  // namespace tileplan
