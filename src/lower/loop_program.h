// SPDX-License-Identifier: Apache-2.0
// This file declares the loop program of a nest. src/jit translates it to a loop tree that calls
// machine code, and src/emit_c to C. Each kind of statement is one alternative of
// ProgramNode::element.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nest.h"
#include "next_tile_prefetch.h"
#include "weights_order.h"

namespace tileplan {

/// Describes a loop that makes `trips` trips, each of `step` iterations of `dim`.
struct CountedLoop {
  Dim dim{};
  std::int64_t trips = 1, step = 1;
  std::int64_t start = 0;  ///< Counts the iterations of the earlier parts of a list of blocks.
  /// Counts the reduction steps of one trip. It is 0 when `dim` is no reduction dimension.
  std::int64_t reduction_steps = 0;
  bool parallel = false;
  /// Tells whether LoopProgram::next_tile_prefetch describes a prefetch for this loop.
  bool prefetches_next_tile = false;
};

/// Represents a list of blocks, L(d,[...]) or P(d,[...]). Its body has one CountedLoop for each
/// part.
struct BlockList {
  Dim dim{};
  bool parallel = false;
};

/// Fills a contiguous buffer (a box) with copies of all elements of an operand that the iterations
/// `box` access. The body then accesses the copies. A box of outputs is filled only if the body
/// adds to the output, and it is copied back after the body.
struct FillBox {
  Operand operand = Operand::input;
  Tile box{};
  /// This is the order of the elements in a box of weights.
  WeightsOrder weights = {};
};

/// Computes the transformed tiles of `box` of a Winograd convolution from the input. The body reads
/// the transformed tiles.
struct TransformInput {
  Tile box{};
};

/// Provides a buffer for the products of the iterations `box`, which the body adds up, and
/// transforms the products into the output after the body.
struct TransformOutput {
  Tile box{};
};

/// Computes a register tile of `base` iterations by a microkernel, which runs
/// LoopProgram::call_loops.
struct Compute {
  Tile base{};
};

/// Represents a statement with the statements `body` inside it. Only Compute has an empty body.
struct ProgramNode {
  std::variant<CountedLoop, BlockList, FillBox, TransformInput, TransformOutput, Compute> element;
  std::vector<ProgramNode> body;
};

/// Tells where microkernel calls read the weights.
enum class WeightsSource {
  packed,    ///< The weights are packed before the loops run, in the order LoopProgram::weights.
  boxes,     ///< A FillBox encloses each call and packs the weights.
  in_place,  ///< The weights have the layout OperandPlace::stored.
};

/// Holds the layouts of one operand in its tensor and in boxes. Boxes of weights have the order
/// FillBox::weights instead.
struct OperandPlace {
  /// The tensor itself has this layout, which has no elements for Winograd products.
  TensorLayout stored;
  /// Boxes of a packed or transformed input or output have this layout.
  std::optional<TensorLayout> box;

  const TensorLayout& in_calls() const { return box ? *box : stored; }
};

struct LoopProgram {
  Dim vectorised{};
  std::array<OperandPlace, kOperands> places;
  WeightsOrder weights;  ///< Weights that are packed before the loops have this order.
  WeightsSource weights_source = WeightsSource::packed;
  /// Lists the loops that each microkernel call runs, outermost first.
  std::vector<Repeat> call_loops;
  std::optional<NextTilePrefetch> next_tile_prefetch;
  /// Gives the distance in elements at which each reduction step prefetches input of the next tile,
  /// when vectors hold pixels. It is 0 for no prefetch, or when next_tile_prefetch is set.
  std::int64_t prefetch_distance = 0;
  std::vector<ProgramNode> body;

  const OperandPlace& place(Operand operand) const {
    return places[static_cast<std::size_t>(operand)];
  }
  OperandPlace& place(Operand operand) { return places[static_cast<std::size_t>(operand)]; }
};

/// Selects how generated code addresses elements.
enum class Addressing {
  /// Pointers advance by constants, so consecutive trips must be equal distances apart in memory.
  by_pointer,
  by_index,  ///< Each offset is computed from indices.
};

/// Holds the options of lower(). A Schedule determines the fields from pack_input to
/// nontemporal. With `winograd`, the nest is that of winograd_products() and fulfils
/// check_winograd_nest(); `input` and `output` are not used.
struct LoweringSpec {
  int lanes = 1;            ///< Counts the elements of a vector.
  std::string target = {};  ///< Names the instruction set in error messages.
  TensorLayout input, output;
  std::optional<int> pack_input = {}, pack_weights = {}, pack_output = {}, ahead = {};
  bool winograd = false;
  bool weights_in_place = false;
  bool nontemporal = false;
  Addressing addressing = Addressing::by_pointer;
};

/// Returns the program of `nest`. Throws Error when `nest` or `spec` breaks a rule: those of
/// check_nest() and plan_next_tile_prefetch(), and the ones on packing, on weights that are read in
/// place, on streaming stores, on contiguous vectors, and on vectors and loops that cut blocks of
/// channels.
LoopProgram lower(const Computation& computation, const Nest& nest, const LoweringSpec& spec);

/// Returns the number of elements of the largest box of weights that `body` fills, or 0 if it fills
/// none.
std::int64_t largest_weights_box(const std::vector<ProgramNode>& body);

/// Returns the number of register tiles (Compute) that one execution of `body` computes.
std::int64_t count_calls(const std::vector<ProgramNode>& body);

/// Returns true when accesses may include all lanes of the last vector along the vectorised
/// dimension, because padding follows the last channel or pixel. This holds in boxes of the input
/// and of Winograd products, and in a blocked layout when WeightsOrder::outer_count is 1, since
/// padding then fills the rest of the last block.
bool has_whole_vectors(const Computation& computation, const LoopProgram& program, Operand operand);

}  // namespace tileplan
