// SPDX-License-Identifier: Apache-2.0
// This file compares the loops of a schedule with the loops of the two variants that keep C in
// registers, from the microkernel outwards.
#include "gemm_order.h"

#include <algorithm>
#include <array>

#include "branches.h"

namespace tileplan {
namespace {

/// Describes a variant that keeps C in registers. `outer` names the loops outside the blocks of mc
/// x kc x nc, and `inner` the loops inside a block, by i (rows), j (columns) and k, outermost
/// first.
struct KnownOrder {
  GemmVariant variant;
  std::string_view outer, inner;
};
constexpr std::array<KnownOrder, 2> kKnown{
    {{GemmVariant::b3a2c0, "jki", "ji"}, {GemmVariant::a3b2c0, "ikj", "ij"}}};

/// Holds neighbouring loops of one letter. The last of them is at `position` of the nest.
struct Loop {
  char letter;
  std::size_t position;
};

/// Returns the loops around the microkernel, which itself runs innermost loops over k. Loops of one
/// trip, and outermost loops over the batch, are left out.
std::vector<Loop> loops_around_microkernel(const Computation& computation, const Nest& nest) {
  std::vector<Loop> loops;
  for (std::size_t at = 0; at < nest.loops.size(); ++at) {
    const NestLoop& loop = nest.loops[at];
    const char letter = gemm_letter(computation, loop.dim);
    if (!loop.is_active() || (letter == 'b' && loops.empty())) continue;
    if (!loops.empty() && loops.back().letter == letter)
      loops.back().position = at;
    else
      loops.push_back({letter, at});
  }
  if (!loops.empty() && loops.back().letter == 'k') loops.pop_back();
  return loops;
}

/// Returns the product of the sizes along all dimensions with `letter` in the largest box of the
/// loops from `position` inwards.
std::int64_t block_inside(const Computation& computation, const Nest& nest, std::size_t position,
                          char letter) {
  const Tile box = largest_box_inside(nest, position);
  std::int64_t size = 1;
  for (int d = 0; d < computation.dims(); ++d)
    if (gemm_letter(computation, Dim{d}) == letter) size *= box[Dim{d}];
  return size;
}

/// Returns true when the letters of `loops` are a subsequence of `letters`.
bool is_part_of(const std::vector<Loop>& loops, std::string_view letters) {
  std::size_t at = 0;
  for (const Loop& loop : loops) {
    at = letters.find(loop.letter, at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  return true;
}

bool contains(const std::vector<Loop>& loops, char letter) {
  return std::ranges::find(loops, letter, &Loop::letter) != loops.end();
}

/// Returns the loops outside the blocks if `loops` has the order of `known`, or nothing otherwise.
/// The innermost loops over i and over j must be inside a block.
std::optional<std::vector<Loop>> outer_loops(std::vector<Loop> loops, const KnownOrder& known) {
  std::string found;
  for (std::size_t i = known.inner.size(); i-- > 0;)
    if (!loops.empty() && loops.back().letter == known.inner[i]) {
      found += known.inner[i];
      loops.pop_back();
    }
  for (const char letter : known.inner)
    if (found.find(letter) == std::string::npos && contains(loops, letter)) return std::nullopt;
  if (!is_part_of(loops, known.outer)) return std::nullopt;
  return loops;
}

/// Sets mc and nc to the sizes inside the loops of `outer`, which are outside the blocks.
void set_blocks(const Computation& computation, const Nest& nest, const std::vector<Loop>& outer,
                GemmBlocks& blocks) {
  for (const Loop& loop : outer) {
    const std::int64_t size = block_inside(computation, nest, loop.position + 1, loop.letter);
    if (loop.letter == 'i') blocks.mc = size;
    if (loop.letter == 'j') blocks.nc = size;
  }
}

}  // namespace

char gemm_letter(const Computation& computation, Dim dim) {
  if (computation.name(dim) == "b") return 'b';
  switch (computation.role(dim)) {
    case Role::pixel:
      return 'i';
    case Role::channel:
      return 'j';
    case Role::reduction:
      return 'k';
    case Role::batch:
      break;
  }
  return 'b';
}

bool has_gemm_order(const Computation& computation, const Nest& nest, GemmVariant variant) {
  const std::vector<Loop> loops = loops_around_microkernel(computation, nest);
  return std::ranges::any_of(kKnown, [&](const KnownOrder& known) {
    return known.variant == variant && outer_loops(loops, known);
  });
}

GemmOrder gemm_order(const Computation& computation, const Nest& nest) {
  const std::vector<Loop> loops = loops_around_microkernel(computation, nest);
  GemmOrder found;
  const auto extent = [&](char letter) { return block_inside(computation, nest, 0, letter); };
  const std::size_t inside = nest.loops.size();
  found.blocks = {.mc = extent('i'),
                  .nc = extent('j'),
                  .kc = extent('k'),
                  .mr = block_inside(computation, nest, inside, 'i'),
                  .nr = block_inside(computation, nest, inside, 'j')};
  for (const Loop& loop : loops) {
    if (!found.order.empty()) found.order += ' ';
    found.order += loop.letter;
    if (loop.letter == 'k')
      found.blocks.kc = block_inside(computation, nest, loop.position + 1, 'k');
  }
  for (const KnownOrder& known : kKnown)
    if (const auto outer = outer_loops(loops, known)) {
      found.variant = known.variant;
      set_blocks(computation, nest, *outer, found.blocks);
      break;
    }
  return found;
}

std::string why_no_microkernel(GemmVariant variant) {
  switch (variant) {
    case GemmVariant::b3a2c0:
    case GemmVariant::a3b2c0:
      return "";
    case GemmVariant::b3c2a0:
    case GemmVariant::c3b2a0:
      return "it keeps A in registers, and all microkernels keep C there";
    case GemmVariant::a3c2b0:
    case GemmVariant::c3a2b0:
      return "it keeps B in registers, and all microkernels keep C there";
  }
  return "it is unknown";
}

std::string loops_text(GemmVariant variant) {
  switch (variant) {
    case GemmVariant::b3a2c0:
      return "jc pc ic jr ir";
    case GemmVariant::a3b2c0:
      return "ic pc jc ir jr";
    case GemmVariant::b3c2a0:
      return "jc pc ic pr ir";
    case GemmVariant::a3c2b0:
      return "ic pc jc pr jr";
    case GemmVariant::c3b2a0:
      return "jc ic pc ir pr";
    case GemmVariant::c3a2b0:
      return "jc ic pc jr pr";
  }
  return "";
}

}  // namespace tileplan
