// SPDX-License-Identifier: Apache-2.0
// Holds the loop program as byte offsets with microkernel calls at the leaves, and runs it.
#pragma once

#include <cstdint>
#include <vector>

#include "microkernel_call.h"
#include "packed_input.h"

namespace tileplan {

/// Locates one iteration of the tree, in bytes from the base addresses. Loops advance it linearly.
struct Position {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0;
  std::int64_t reduction = 0;  ///< This counts steps of outer loops, which `weights` excludes.
  std::int64_t vectors = 0;    ///< This is the index of the vectorised dim.
  std::int64_t next_tile = 0;  ///< The prefetches of the call begin here.
  GuardIndices guard{};

  /// Adds `trips` times `step`.
  void advance(const Position& step, std::int64_t trips = 1);
};

/// Describes rows of tiles that one call of a microkernel may compute.
struct TileRows {
  std::int64_t tiles = 1;  ///< A row has this many tiles.
  Position row;            ///< This leads from the first tile of a row to that of the next.
  Position reach;          ///< This leads from the first tile of a row to its last.
  TileStride tile_stride;  ///< This leads from one tile of a row to the next.
  TileStride row_stride;   ///< This leads from the last tile of a row to the first of the next.
};

struct ParallelTrips {
  bool shared = false;      ///< Threads share the trips.
  std::int64_t inside = 1;  ///< One trip has this many iterations of the collapsed parallel loops.
  std::int64_t before = 0;  ///< Earlier parts of a parallel list of blocks have this many.
};

/// Each trip of a loop runs the children in sequence (several under a list of blocks), or makes a
/// microkernel call. A node that fills a box copies the input first; its children read the copy.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;    ///< This is added once before the first trip.
  Position advance;  ///< This is added after each trip.
  int call = -1;     ///< This LoopTree::calls is made here, or in a child that is a row of tiles.
  int box = -1;      ///< This LoopTree::boxes is filled; -1 is none.
  TileRows rows;     ///< The trips compute them if `call` is set.
  ParallelTrips parallel;
  std::vector<LoopNode> children;
};

/// Iterations [first, last) are numbered over the parallel loops as one, in the order of the tree.
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
  const char* next_tile = nullptr;  ///< This tensor is prefetched; execute() sets it.
};

struct LoopTree {
  LoopNode root;
  std::vector<MicrokernelCall> calls;
  std::vector<BoxCopy> boxes;      ///< Each place where the input is packed has one.
  std::int64_t box_elements = 0;   ///< The largest box needs this many; 0 is no box.
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

/// Runs the calls that belong to `tasks` (execute.cpp). Ranges may run at the same time, each with
/// a box of its own, and give bits that do not depend on how the tasks are divided.
void execute(const LoopTree& tree, const Buffers& buffers, TaskRange tasks);

}  // namespace tileplan
