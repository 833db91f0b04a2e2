// SPDX-License-Identifier: Apache-2.0
// Nest -> loop tree with byte offsets, microkernel calls at its leaves; and the function that walks
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "microkernel_call.h"
#include "nest.h"
#include "packed_input.h"
#include "weights_order.h"

namespace tileplan {

/// Where one iteration of the tree stands. Advances linearly with every loop.
struct Position {
  std::int64_t input = 0;      ///< bytes
  std::int64_t weights = 0;    ///< bytes, without the reduction part
  std::int64_t output = 0;     ///< bytes
  std::int64_t bias = 0;       ///< bytes
  std::int64_t reduction = 0;  ///< reduction steps done outside the microkernel
  std::int64_t vectors = 0;    ///< index of the vectorised dim
  std::int64_t ahead = 0;      ///< bytes of LoopTree::ahead, where the next call's prefetches begin
  GuardIndices guard{};

  /// Moves on by `trips` times `step`.
  void advance(const Position& step, std::int64_t trips = 1);
};

/// Rows of tiles that one call of a microkernel may compute.
struct TileRows {
  std::int64_t tiles = 1;  ///< of a row
  Position row;            ///< from the first tile of a row to that of the next
  Position reach;          ///< from the first tile of a row to its last
  TileSteps tile_steps;    ///< from one tile of a row to the next
  TileSteps row_steps;     ///< from the last tile of a row to the first of the next
};

/// A loop. Each trip runs the children in sequence (several under a lambda), or calls the leaf. One
/// that packs copies a box of the input first, from which its children read.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;           ///< added once before the first trip
  Position advance;         ///< added after each trip
  int leaf = -1;            ///< that each trip calls, itself or in a child that is a row of tiles
  TileRows rows;            ///< of the trips, when they call the leaf
  int box = -1;             ///< to pack, into LoopTree::boxes; -1: none
  bool parallel = false;    ///< its trips are shared out
  std::int64_t tasks = 1;   ///< iterations of the collapsed parallel loops inside one trip
  std::int64_t before = 0;  ///< those of the earlier parts of a parallel lambda
  std::vector<LoopNode> children;
};

/// Iterations [first, last) of the parallel loops, collapsed into one in the order of the tree.
struct Share {
  std::int64_t first = 0, last = 0;
};

/// Tensors of one run, base addresses.
struct Buffers {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  char* box = nullptr;  ///< LoopTree::box_elements of them
  const char* bias = nullptr;
  std::int64_t residual = 0;    ///< bytes from the output to the residual
  const char* ahead = nullptr;  ///< what LoopTree::ahead says; execute() sets it
};

struct LoopTree {
  ElementType type = ElementType::f32;
  LoopNode root;
  std::vector<Leaf> leaves;
  std::vector<BoxCopy> boxes;        ///< one per place where the input is packed
  std::int64_t box_elements = 0;     ///< of the largest box; 0: the input is read where it is
  std::int64_t vector_extent = 0;    ///< of the vectorised dim; calls that pass it are tails
  bool accumulate = false;           ///< sums start from the output
  Operand ahead = Operand::weights;  ///< what calls prefetch, if anything
  Position origin;
  WeightsOrder weights;
  std::int64_t weights_steps = 0;  ///< of the whole reduction

  /// Iterations of the collapsed parallel loops.
  std::int64_t tasks() const { return root.tasks; }
};

/// What the tree is built for, besides the nest.
struct TreeSpec {
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;
  TensorLayout input, output;
  int prefetch = 0;
  std::optional<int> ahead = {};  ///< Schedule::ahead
  bool nontemporal = false;
  std::optional<int> pack_input = {};  ///< Schedule::pack_input
  Epilogue epilogue = {};
};

/// What `compile` builds for `schedule`, whose nest is `nest`. Throws Error when a layout does not
/// exist.
TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue = {});

/// Throws Error when a layout cannot be read or written by whole vectors, vectors of pixels read
/// padding of an input that is not packed, a tile crosses the blocks of a layout, or the input
/// cannot be packed where the mark says.
LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec);

/// Runs the calls of the tree that belong to `share` (execute.cpp). Those of different iterations
/// write different outputs, and each output is summed in the order of the tree whatever the shares
/// are: they can run at the same time, each with a box of its own, and give equal bits.
void execute(const LoopTree& tree, const Buffers& buffers, Share share);

}  // namespace tileplan
