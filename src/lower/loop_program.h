// SPDX-License-Identifier: Apache-2.0
// Lowers a checked nest to a tree of loops and stages, which src/jit lowers further to machine code
// and src/emit_c to C. A new stage is one more alternative of ProgramNode::element.
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

/// Describes a loop that makes `trips` trips, each over `step` iterations of `dim`.
struct CountedLoop {
  Dim dim{};
  std::int64_t trips = 1, step = 1;
  std::int64_t start = 0;  ///< Earlier parts of a list have this many iterations.
  /// One trip makes this many reduction steps, which is 0 when `dim` is no reduction dim.
  std::int64_t reduction_steps = 0;
  bool parallel = false;
  bool prefetches_next_tile = false;  ///< LoopProgram::next_tile_prefetch describes the prefetch.
};

/// Represents L(d,[...]), a list of blocks. Its body has one CountedLoop for each part; all parts
/// run in sequence.
struct BlockList {
  Dim dim{};
  bool parallel = false;
};

/// Copies the elements of the input that the iterations `box` read; the body reads the copy.
struct FillBox {
  Tile box{};
};

/// Computes one register tile of `base` iterations over LoopProgram::call_loops.
struct Compute {
  Tile base{};
};

/// Runs `body` inside `element`. Only Compute has an empty body.
struct ProgramNode {
  std::variant<CountedLoop, BlockList, FillBox, Compute> element;
  std::vector<ProgramNode> body;
};

/// Holds the layouts of one operand.
struct OperandPlace {
  TensorLayout stored;              ///< Loops outside boxes read or write this layout.
  std::optional<TensorLayout> box;  ///< FillBox makes copies in this layout.

  const TensorLayout& in_calls() const { return box ? *box : stored; }
};

struct LoopProgram {
  Dim vectorised{};
  std::array<OperandPlace, kOperands> places;
  WeightsOrder weights;
  std::vector<Repeat> call_loops;  ///< Each microkernel call runs these loops, outermost first.
  std::optional<NextTilePrefetch> next_tile_prefetch;
  /// Each step prefetches the vectors of pixels that lie this many elements ahead, in the next
  /// tile. The distance is 0 with next_tile_prefetch.
  std::int64_t prefetch_distance = 0;
  std::vector<ProgramNode> body;

  const OperandPlace& place(Operand operand) const {
    return places[static_cast<std::size_t>(operand)];
  }
  OperandPlace& place(Operand operand) { return places[static_cast<std::size_t>(operand)]; }
};

/// Selects how generated code addresses elements.
enum class Addressing {
  by_pointer,  ///< Code adds constants to pointers, so loops and vectors must be linear in memory.
  by_index,    ///< Code computes each offset from indices.
};

/// Schedule determines `pack_input`, `ahead` and `nontemporal`.
struct LoweringSpec {
  int lanes = 1;            ///< A vector has this many elements.
  std::string target = {};  ///< Messages name this instruction set.
  TensorLayout input, output;
  std::optional<int> pack_input = {}, ahead = {};
  bool nontemporal = false;
  Addressing addressing = Addressing::by_pointer;
};

/// Returns the program of `nest`. Throws Error when `nest` or the spec breaks a rule of check_nest,
/// plan_ahead, packing, streaming stores or the alignment of vectors and loops with blocks.
LoopProgram lower(const Computation& computation, const Nest& nest, const LoweringSpec& spec);

/// Returns the number of microkernel calls in one run of `body`.
std::int64_t count_calls(const std::vector<ProgramNode>& body);

/// Returns true when the last vector of the vectorised dim may be read or written as a whole: in a
/// box, or in a blocked layout whose last block no other group shares.
bool has_whole_vectors(const Computation& computation, const LoopProgram& program, Operand operand);

}  // namespace tileplan
