// SPDX-License-Identifier: Apache-2.0
// A nest is lowered once, with all checks, to a tree of loops and stages. src/jit turns it into
// machine code, src/emit_c into C. A new stage is one more alternative of ProgramNode::element.
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

/// A loop of `trips` steps of `step` iterations of `dim`.
struct CountedLoop {
  Dim dim{};
  std::int64_t trips = 1;
  std::int64_t step = 1;
  std::int64_t start = 0;            ///< iterations before the first trip; earlier parts of a list
  std::int64_t reduction_steps = 0;  ///< of one trip, when `dim` is summed over
  bool parallel = false;
  bool prefetches_next_tile = false;  ///< LoopProgram::next_tile_prefetch is about this loop
};

/// Represents L(d,[...]), a list of blocks. Its body is one CountedLoop for each part, run in
/// sequence.
struct BlockList {
  Dim dim{};
  bool parallel = false;
};

/// Copies the elements of `operand` that the iterations `box` touch; the body reads the copy.
struct FillBox {
  Operand operand = Operand::input;
  Tile box{};
};

/// A stage that computes one register tile of `base` iterations over LoopProgram::call_loops.
struct Compute {
  Tile base{};
};

/// One element of a program and what runs inside it. Only Compute has an empty body.
struct ProgramNode {
  std::variant<CountedLoop, BlockList, FillBox, Compute> element;
  std::vector<ProgramNode> body;
};

/// The places of one operand in memory.
struct OperandPlace {
  TensorLayout stored;              ///< as the loops find it outside boxes
  std::optional<TensorLayout> box;  ///< of the copies that FillBox makes

  const TensorLayout& in_calls() const { return box ? *box : stored; }
};

struct LoopProgram {
  Dim vectorised{};
  std::array<OperandPlace, kOperands> places;
  WeightsOrder weights;            ///< of the packed weights that microkernels read
  std::vector<Repeat> call_loops;  ///< reduction loops of each microkernel call, outermost first
  std::optional<NextTilePrefetch> next_tile_prefetch;
  /// Elements from a vector of pixels to that of the next tile, for prefetches; excludes the above.
  std::int64_t prefetch_distance = 0;
  std::vector<ProgramNode> body;

  const OperandPlace& place(Operand operand) const {
    return places[static_cast<std::size_t>(operand)];
  }
  OperandPlace& place(Operand operand) { return places[static_cast<std::size_t>(operand)]; }
};

/// The way in which a printer finds elements.
enum class Addressing {
  by_pointer,  ///< it moves pointers, so loops and vectors must be linear in memory
  by_index,    ///< it computes offsets from indices anywhere
};

struct LoweringSpec {
  int lanes = 1;            ///< elements per vector
  std::string target = {};  ///< the instruction set, for messages
  TensorLayout input, output;
  std::optional<int> pack_input = {};  ///< Schedule::pack_input
  std::optional<int> ahead = {};       ///< Schedule::ahead
  bool nontemporal = false;            ///< Schedule::nontemporal
  Addressing addressing = Addressing::by_pointer;
};

/// Returns the program of `nest`. Throws Error when `nest` or the spec breaks a rule of check_nest,
/// plan_ahead, packing, streaming stores or the alignment of vectors and loops with blocks.
LoopProgram lower(const Computation& computation, const Nest& nest, const LoweringSpec& spec);

/// Returns the microkernel calls in one run of `body`.
std::int64_t count_calls(const std::vector<ProgramNode>& body);

/// True when the last vector of the vectorised dim may be read or written as a whole: in a box, or
/// in a blocked layout whose last block no other group shares.
bool has_whole_vectors(const Computation& computation, const LoopProgram& program, Operand operand);

}  // namespace tileplan
