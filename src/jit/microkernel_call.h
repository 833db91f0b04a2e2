// SPDX-License-Identifier: Apache-2.0
// A microkernel call of the loop tree: assembled code, and run lists for every place it is called
// at.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "microkernel.h"
#include "nest.h"
#include "reduction_runs.h"

namespace tileplan {

struct TreeSpec;

/// Runs of one call.
struct RunList {
  const Run* runs = nullptr;
  std::int64_t count = 0;
};

/// One microkernel with the run lists of every validity pattern. Lists point into `runs`: between
/// two calls there is time for one load, not for an index and a base address. A copy would point
/// into the original, so there is none; moving keeps the runs where they are.
struct Leaf {
  std::shared_ptr<const Microkernel> kernel;
  KernelFunction function = nullptr;  ///< of `kernel`
  std::int64_t row_bytes = 0;         ///< packed weights of one reduction step
  std::int64_t length = 0;            ///< iterations of the vectorised dim per call
  std::int64_t steps = 0;             ///< reduction steps per call
  std::vector<GuardTable> guards;
  std::vector<RunList> lists;  ///< index: sum over guards of pattern * guard.lists
  std::vector<Run> runs;       ///< of all lists

  Leaf() = default;
  Leaf(const Leaf&) = delete;
  Leaf& operator=(const Leaf&) = delete;
  Leaf(Leaf&&) noexcept = default;
  Leaf& operator=(Leaf&&) noexcept = default;
  ~Leaf() = default;
};

/// What the leaves of one tree share.
struct LeafContext {
  const Computation& computation;
  const Nest& nest;  ///< that check_nest accepts
  const TreeSpec& spec;
  std::size_t band = 0;          ///< first loop of the reduction band around the register tile
  std::int64_t outer_count = 1;  ///< of the packed weights
  std::int64_t ahead_bytes = 0;  ///< of later weights that one call prefetches
  std::int64_t input_ahead_bytes = 0;  ///< from input vectors to those prefetched beside; 0: none
};

/// Most reduction steps that weights are prefetched ahead: displacements have 32 bits.
constexpr int kFarthestPrefetch = 1024;

/// The leaf of a register tile of `base` iterations. Throws Error when no microkernel has this
/// form.
Leaf make_leaf(const LeafContext& context, const Tile& base);

}  // namespace tileplan
