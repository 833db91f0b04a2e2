// SPDX-License-Identifier: Apache-2.0
// Holds the loop program as byte offsets with microkernel calls at the leaves, and runs it.
#pragma once

#include <cstdint>
#include <vector>

#include "microkernel_call.h"
#include "packed_input.h"

namespace tileplan {

/// The position of one iteration of the tree. It advances linearly with every loop.
struct Position {
  std::int64_t input = 0;      ///< bytes
  std::int64_t weights = 0;    ///< bytes, without the reduction part
  std::int64_t output = 0;     ///< bytes
  std::int64_t bias = 0;       ///< bytes
  std::int64_t reduction = 0;  ///< reduction steps done outside the microkernel
  std::int64_t vectors = 0;    ///< index of the vectorised dim
  std::int64_t next_tile = 0;  ///< bytes to where the next call's prefetches begin
  GuardIndices guard{};

  /// Moves on by `trips` times `step`.
  void advance(const Position& step, std::int64_t trips = 1);
};

/// Rows of tiles that one call of a microkernel may compute.
struct TileRows {
  std::int64_t tiles = 1;  ///< of a row
  Position row;            ///< from the first tile of a row to that of the next
  Position reach;          ///< from the first tile of a row to its last
  TileStride tile_stride;  ///< from one tile of a row to the next
  TileStride row_stride;   ///< from the last tile of a row to the first of the next
};

/// How threads share the trips of a node.
struct ParallelTrips {
  bool shared = false;      ///< the trips are dealt out to threads
  std::int64_t inside = 1;  ///< iterations of the collapsed parallel loops inside one trip
  std::int64_t before = 0;  ///< iterations of the earlier parts of a parallel list of blocks
};

/// A loop. Each trip runs the children in sequence (several under a list of blocks), or makes a
/// microkernel call. A node that fills a box copies the input first; its children read the copy.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;    ///< added once before the first trip
  Position advance;  ///< added after each trip
  int call = -1;     ///< index into LoopTree::calls, made here or in a child that is a row of tiles
  int box = -1;      ///< index into LoopTree::boxes; -1: none is filled
  TileRows rows;     ///< of the trips, when they make calls
  ParallelTrips parallel;
  std::vector<LoopNode> children;
};

/// Iterations [first, last) of the parallel loops, collapsed into one in the order of the tree.
struct TaskRange {
  std::int64_t first = 0, last = 0;
};

/// The base addresses of the tensors of one run.
struct Buffers {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  char* box = nullptr;  ///< LoopTree::box_elements of them
  const char* bias = nullptr;
  std::int64_t residual = 0;        ///< bytes from the output to the residual
  const char* next_tile = nullptr;  ///< the tensor that is prefetched; execute() sets it
};

struct LoopTree {
  LoopNode root;
  std::vector<MicrokernelCall> calls;
  std::vector<BoxCopy> boxes;             ///< one per place where the input is packed
  std::int64_t box_elements = 0;          ///< of the largest box; 0: the input is read where it is
  std::int64_t vector_extent = 0;         ///< of the vectorised dim; calls that pass it are tails
  bool accumulate = false;                ///< sums start from the output
  Operand prefetched = Operand::weights;  ///< the operand of the next tile's prefetches, if any
  Position origin;
  WeightsOrder weights;
  std::int64_t reduction_steps = 0;  ///< of the whole reduction

  /// Returns the iterations of the collapsed parallel loops.
  std::int64_t tasks() const { return root.parallel.inside; }
};

/// Builds the tree of `nest`. Throws Error as `lower`, and for tiles that no microkernel computes.
LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec);

/// Runs the calls that belong to `tasks` (execute.cpp). Ranges may run at the same time, each with
/// a box of its own, and give bits that do not depend on how the tasks are divided.
void execute(const LoopTree& tree, const Buffers& buffers, TaskRange tasks);

}  // namespace tileplan
