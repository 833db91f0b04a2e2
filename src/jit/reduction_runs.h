// SPDX-License-Identifier: Apache-2.0
// This file plans the reduction runs of a call, which mostly skip pixels in the padding.
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

/// Belongs to one dimension of the input. Maps the index along it that pixel 0 of a call reads at
/// the first step to the number of a pattern, which tells for each step which pixels read the
/// input.
struct GuardTable {
  std::int64_t first = 0;  ///< Entry 0 of the tables belongs to this index.
  /// Entry i holds the pattern number of a call that begins at index `first` + i, or 0 if no call
  /// begins there.
  std::vector<std::uint16_t> pattern;
  /// All calls from an entry's index up to this index have equal patterns. An entry is 0 if no call
  /// begins at its index.
  std::vector<std::int64_t> last;
  /// The later tables of RunPlan::guards have this many combinations of patterns.
  std::int64_t lists = 1;

  /// Returns the pattern number of a call that begins at `index`. Requires: such a call exists.
  std::uint16_t pattern_at(std::int64_t index) const {
    return pattern[static_cast<std::size_t>(index - first)];
  }
  std::int64_t last_from(std::int64_t index) const {
    return last[static_cast<std::size_t>(index - first)];
  }
};

/// Describes a run before its code is assembled, so that run.body is not set.
struct PixelRun {
  ReductionRun run;
  PixelSet pixels = 0;
};

struct RunPlan {
  /// Each guarded dimension of the input (is_guarded() in packed_box.h) has a table.
  std::vector<GuardTable> guards;
  /// Lists the runs of each combination of patterns. The index is the sum of pattern *
  /// GuardTable::lists over `guards`.
  std::vector<std::vector<PixelRun>> lists;
  std::vector<PixelSet> bodies;  ///< Exactly these sets of pixels occur in runs.
  std::int64_t step_stride = 0;  ///< Consecutive steps of a run read inputs this many bytes apart.
  std::int64_t row_stride = 0;   ///< The weights of consecutive steps are this many bytes apart.
  std::int64_t longest = 0;
};

struct RunOptions {
  std::int64_t row_bytes = 0;   ///< Each reduction step has this many bytes of packed weights.
  bool counts_padding = false;  ///< If true, runs include steps in which all pixels lie in padding.
};

/// Plans the reduction runs of microkernel calls. For each guarded dimension, `first` lists the
/// indices of pixel 0 at the first step of all calls, in ascending order. Along a dimension in
/// which vectors can cross the border of the tensor, no pixel is skipped.
RunPlan plan_runs(const Computation& computation, const LoopProgram& program, const CallBox& box,
                  const std::vector<std::vector<std::int64_t>>& first, const RunOptions& options);

/// Holds the lists of runs that become code without loops.
struct UnrolledLists {
  std::vector<std::vector<UnrolledStep>> code;
  /// Gives the index in `code` of each list that is unrolled.
  std::vector<std::optional<std::size_t>> of_list;
};

/// Returns the lists that have several runs, few enough multiply-adds for the micro-op cache, and
/// offsets that fit the displacements of instructions. Leaves out lists with which the code of all
/// lists would become too long. `vectors` counts the vectors of a pixel.
UnrolledLists unrolled_lists(const RunPlan& plan, int vectors);

}  // namespace tileplan
