// SPDX-License-Identifier: Apache-2.0
// Holds the loop program as a tree of byte offsets with microkernel calls as leaves, and runs it.
#pragma once

#include <cstdint>
#include <vector>

#include "microkernel_call.h"
#include "packed_input.h"

namespace tileplan {

/// Locates one iteration of the tree, in bytes from the base addresses. Loops advance it linearly.
struct Position {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0;
  std::int64_t reduction = 0;  ///< The outer loops made this many steps; `weights` excludes them.
  std::int64_t vectors = 0;    ///< The vectorised dim has this index.
  std::int64_t next_tile = 0;  ///< The prefetches of the call begin here.
  GuardIndices guard{};

  /// Adds `trips` times `step`.
  void advance(const Position& step, std::int64_t trips = 1);
};

/// Describes rows of tiles that one call of a microkernel may compute.
struct TileRows {
  std::int64_t tiles = 1;  ///< Each row has this many tiles.
  Position row;            ///< A row begins this far after the previous row.
  Position reach;          ///< The last tile of a row is this far after the first.
  TileStride tile_stride;  ///< Neighbouring tiles of a row are this far apart.
  TileStride row_stride;   ///< The next row begins this far after the last tile of a row.
};

struct ParallelTrips {
  bool shared = false;      ///< Threads share the trips.
  std::int64_t inside = 1;  ///< One trip has this many iterations of the collapsed parallel loops.
  std::int64_t before = 0;  ///< Earlier parts of a list of blocks have this many iterations.
};

/// Each trip of a loop runs the children in sequence (a list of blocks has several) or makes a
/// microkernel call. A node with a box first copies the input, and its children read the copy.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;    ///< The position advances by this before the first trip.
  Position advance;  ///< The position advances by this after each trip.
  int call = -1;     ///< The node, or its row of tiles, makes this one of LoopTree::calls.
  int box = -1;      ///< The node fills this one of LoopTree::boxes; -1 is none.
  TileRows rows;     ///< If `call` is set, the trips compute these rows.
  ParallelTrips parallel;
  std::vector<LoopNode> children;
};

/// Holds iterations [first, last) of the collapsed parallel loops, in the order of the tree.
struct TaskRange {
  std::int64_t first = 0, last = 0;
};

/// Holds the base addresses of the tensors of one run.
struct Buffers {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  char* box = nullptr;  ///< The box has LoopTree::box_elements.
  const char* bias = nullptr;
  std::int64_t residual = 0;        ///< The residual is this many bytes from the output.
  const char* next_tile = nullptr;  ///< execute() sets this to the tensor that is prefetched.
};

struct LoopTree {
  LoopNode root;
  std::vector<MicrokernelCall> calls;
  std::vector<BoxCopy> boxes;      ///< Each node that packs the input has a box.
  std::int64_t box_elements = 0;   ///< The largest box has this many elements; 0 is no box.
  std::int64_t vector_extent = 0;  ///< Calls beyond this index of the vectorised dim are tails.
  bool accumulate = false;         ///< Sums start from the output.
  Operand prefetched = Operand::weights;  ///< Next tiles of this operand are prefetched, if any.
  Position origin;
  WeightsOrder weights;
  std::int64_t reduction_steps = 0;  ///< The whole reduction has this many steps.

  /// Returns the number of iterations of the collapsed parallel loops.
  std::int64_t tasks() const { return root.parallel.inside; }
};

/// Builds the tree of `nest`. Throws Error as `lower` does, and for tiles without a microkernel.
LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec);

/// Runs the calls that belong to `tasks` (execute.cpp). Several ranges may run at the same time,
/// each with its own box. The output is bitwise equal for every division of the tasks into ranges.
void execute(const LoopTree& tree, const Buffers& buffers, TaskRange tasks);

}  // namespace tileplan
