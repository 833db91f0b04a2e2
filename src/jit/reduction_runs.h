// SPDX-License-Identifier: Apache-2.0
// Plans the runs of a call from its register tile, its reduction steps and the padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "loop_program.h"
#include "microkernel_spec.h"

namespace tileplan {

/// Holds the pixels and steps of one microkernel call, relative to its first iteration.
struct CallBox {
  std::vector<Tile> pixels, steps;
};

/// Maps the index of pixel 0 at step 0 along one guarded data dim to the pattern of valid pixels.
struct GuardTable {
  std::int64_t first = 0;              ///< Entry 0 of the tables is for this index.
  std::vector<std::uint16_t> pattern;  ///< Patterns are numbered; 0 if no call begins.
  std::vector<std::int64_t> last;      ///< Calls from an entry up to here have its pattern.
  std::int64_t lists = 1;              ///< Later guards have this many combinations of patterns.

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
  std::vector<GuardTable> guards;            ///< Each guarded data dim of the input has a table.
  std::vector<std::vector<PixelRun>> lists;  ///< The index is the sum of pattern * lists.
  std::vector<PixelSet> bodies;              ///< These sets of pixels occur in runs.
  std::int64_t step_stride = 0;  ///< Consecutive steps of a run are this many bytes apart.
  std::int64_t longest = 0;      ///< The longest run has this many steps.
};

/// Plans the runs. For each guarded dim, `first` lists in ascending order the indices of pixel 0 at
/// the first step of calls. All pixels take part where vectors of pixels cross the border.
RunPlan plan_runs(const Computation& computation, const LoopProgram& program, const CallBox& box,
                  const std::vector<std::vector<std::int64_t>>& first, std::int64_t row_bytes);

/// Holds the steps of those lists that become code without loops.
struct UnrolledLists {
  std::vector<std::vector<UnrolledStep>> code;
  std::vector<std::optional<std::size_t>> of_list;  ///< Lists may have an index in `code`.
};

/// Returns the lists of several runs that are short enough to be unrolled.
UnrolledLists unrolled_lists(const RunPlan& plan, int vectors, std::int64_t row_bytes);

}  // namespace tileplan
