// SPDX-License-Identifier: Apache-2.0
// This file declares the loop tree: nodes that hold byte offsets, with microkernel calls as leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "microkernel_call.h"
#include "packed_input.h"
#include "packed_weights.h"
#include "task_range.h"
#include "winograd_stage.h"

namespace tileplan {

/// Locates an iteration of the tree. The offsets in tensors and of prefetches are in bytes from the
/// base addresses. Each trip of a loop adds constants to the position.
struct Position {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0;
  std::int64_t reduction = 0;  ///< The outer loops have made this many reduction steps.
  /// Counts the rows of packed weights before the current row. Each reduction step has one row.
  /// `weights` does not include these rows, because calls have rows of different sizes.
  std::int64_t rows = 0;
  std::int64_t vectors = 0;    ///< This is the index along the dimension that vectors cover.
  std::int64_t next_tile = 0;  ///< The call prefetches from this offset on.
  /// Holds the indices that decide which elements lie in padding. In Winograd trees, these are the
  /// indices of the group, tile, input channel and output channel.
  GuardIndices guard{};

  /// Adds `trips` times `step` to this position.
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
  bool shared = false;      ///< If true, threads share the trips.
  std::int64_t inside = 1;  ///< A trip has this many iterations of the parallel loops.
  /// Earlier blocks of a list of blocks (lambda) have this many iterations.
  std::int64_t before = 0;
};

/// Describes a stage of a Winograd convolution that a node runs.
struct TransformStep {
  Operand operand = Operand::input;
  StageBox box;
};

/// Describes a copy to a box of packed elements: entry `copy` of LoopTree::boxes,
/// LoopTree::weights_boxes or LoopTree::output_boxes.
struct FillStep {
  Operand operand = Operand::input;
  std::size_t copy = 0;
};

/// Describes a loop of the tree. If `call` is set, microkernel calls compute the trips, and the
/// child runs only rows that one call cannot compute. Otherwise each trip runs all children in
/// sequence. A node with `fill` copies the operand to a box before its children, which access the
/// box. An output is copied to its box only if the children add to it, and is copied back after
/// them. A node with `transform` of the input transforms it to a box before its children. A node
/// with `transform` of the output transforms the box that its children have written.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;    ///< The position advances by this before the first trip.
  Position advance;  ///< The position advances by this after each trip.
  int call = -1;     ///< The node calls LoopTree::calls[call], or nothing if this is -1.
  std::optional<FillStep> fill = {};
  std::optional<TransformStep> transform = {};
  TileRows rows;  ///< If `call` is set, the trips compute these rows.
  ParallelTrips parallel;
  std::vector<LoopNode> children;
};

/// Holds the base addresses of the tensors of one run.
struct Buffers {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  char* box = nullptr;  ///< Boxes share this memory of LoopTree::boxes_bytes bytes.
  const char* bias = nullptr;
  std::int64_t residual = 0;        ///< The residual is this many bytes from the output.
  const char* next_tile = nullptr;  ///< execute() sets this base of the prefetch addresses.
  /// Microkernel calls convert finished sums with these numbers.
  const StoreConversion* conversion = nullptr;
  /// A vector of alpha begins here, and a vector of beta follows it. Kernels read the vectors that
  /// their epilogue needs (scaled_sums.h).
  const char* factors = nullptr;
};

/// Holds the transforms of a Winograd convolution. The box of the input is followed by the box of
/// the output and by memory for the transforms.
struct WinogradStages {
  WinogradStage input, output;
  std::int64_t output_box = 0, scratch = 0;  ///< These are offsets in Buffers::box, in bytes.
};

/// `fill` brings a part of the output into its box, and `empty` takes the sums back.
struct OutputCopy {
  BoxCopy fill, empty;
};

struct LoopTree {
  LoopNode root;
  std::vector<MicrokernelCall> calls;
  std::vector<BoxCopy> boxes;              ///< Each node that packs the input has an entry.
  std::vector<WeightsCopy> weights_boxes;  ///< Each node that packs weights has an entry.
  std::vector<OutputCopy> output_boxes;    ///< Each node that packs the output has an entry.
  std::int64_t weights_box = 0;  ///< The box of weights has this offset in Buffers::box, in bytes.
  std::int64_t output_box = 0;   ///< The box of the output has this offset, in bytes.
  /// Buffers::box needs this many bytes, which is 0 if there are no boxes.
  std::int64_t boxes_bytes = 0;
  std::optional<WinogradStages> winograd;
  /// Calls that reach beyond this extent of the dimension that vectors cover are tails.
  std::int64_t vector_extent = 0;
  bool accumulate = false;  ///< If true, the output is added to the first sums.
  /// If true, the output is multiplied by Epilogue::beta before the addition.
  bool scales_output = false;
  /// Names the operand of the prefetched tiles, if the program prefetches next tiles.
  Operand prefetched = Operand::weights;
  Position origin;
  WeightsOrder weights;
  std::int64_t reduction_steps = 0;

  /// Returns the number of iterations of the parallel loops, counted as one collapsed loop.
  std::int64_t tasks() const { return root.parallel.inside; }
};

/// Builds the tree of `nest`, whose dimensions are those of `computation`. Throws Error as lower(),
/// check_output_box() and make_microkernel_call() do, if more than kMaxGuards indices of the input
/// can leave the tensor, or if a Winograd transform cannot be assembled.
LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec);

/// Returns a tree without nodes and calls, which only has the memory of the boxes, the order of the
/// weights and the Winograd stages of build_tree(). This saves the assembly of the microkernels.
/// Throws Error as build_tree() does, except for errors of make_microkernel_call() and for too many
/// indices that can leave the tensor.
LoopTree memory_of_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec);

/// Runs the calls of the iterations in `tasks` (execute.cpp). Disjoint ranges may run concurrently
/// if each has its own box. The output is bitwise equal for every division into ranges.
void execute(const LoopTree& tree, const Buffers& buffers, TaskRange tasks);

}  // namespace tileplan
