// SPDX-License-Identifier: Apache-2.0
// The register tile, the reduction and the padding decide which runs a call has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "computation.h"
#include "microkernel_spec.h"

namespace tileplan {

/// The iterations of one microkernel call, relative to the first.
struct CallBox {
  std::vector<Tile> pixels;  ///< coordinates of each pixel
  std::vector<Tile> steps;   ///< reduction coordinates of each step, in order
};

/// Tells which pixels are valid along one guarded data dim, by the index of pixel 0 at step 0.
struct GuardTable {
  std::int64_t first = 0;              ///< index of entry 0
  std::vector<std::uint16_t> pattern;  ///< number of the validity pattern; 0 where no call begins
  /// Index of the last of the calls that follow each one with its pattern.
  std::vector<std::int64_t> last;
  std::int64_t lists = 1;  ///< run lists per pattern: the products of the later guards

  /// Requires: a call begins at `index`.
  std::uint16_t pattern_at(std::int64_t index) const {
    return pattern[static_cast<std::size_t>(index - first)];
  }
  std::int64_t last_from(std::int64_t index) const {
    return last[static_cast<std::size_t>(index - first)];
  }
};

/// Returns the most frequent distance of consecutive steps, in elements, which makes runs long.
std::int64_t common_step(const std::vector<std::int64_t>& offsets);

/// A run before code exists for its pixel set.
struct PixelRun {
  ReductionRun run;
  PixelSet pixels = 0;
};

struct RunPlan {
  std::vector<GuardTable> guards;            ///< one per guarded data dim of the input
  std::vector<std::vector<PixelRun>> lists;  ///< index: sum over guards of pattern * guard.lists
  std::vector<PixelSet> bodies;              ///< sets that occur
  std::int64_t step_stride = 0;              ///< bytes; 0: all runs that read on are of one step
  std::int64_t longest = 0;                  ///< steps of the longest run
};

/// The input that runs read.
struct ReadInput {
  const TensorLayout& layout;
  Dim vectorised{};  ///< the dim of V
};

/// Plans the runs for the positions `first`: the indices, ascending, of pixel 0 at the first step
/// per guarded dim. All pixels take part where vectors of pixels lie across the border.
RunPlan plan_runs(const Computation& computation, const ReadInput& input, const CallBox& box,
                  const std::vector<std::vector<std::int64_t>>& first, std::int64_t row_bytes);

/// Lists of runs as straight code.
struct UnrolledLists {
  std::vector<std::vector<UnrolledStep>> code;
  std::vector<std::optional<std::size_t>> of_list;  ///< number in `code`, per list of the plan
};

/// Returns the lists of several runs that are short enough for straight code.
UnrolledLists unrolled_lists(const RunPlan& plan, int vectors, std::int64_t row_bytes);

}  // namespace tileplan
