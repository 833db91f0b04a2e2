// SPDX-License-Identifier: Apache-2.0
// Nest -> loop tree with byte offsets, run lists at its leaves; and the function that walks it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "microkernel.h"
#include "nest.h"

namespace tileplan {

/// Data dims of the input whose indices can fall into the padding: at most d, y, x.
constexpr int kMaxGuards = 3;

/// Where one iteration of the tree stands. Advances linearly with every loop.
struct Position {
  std::int64_t input = 0;      ///< bytes
  std::int64_t weights = 0;    ///< bytes, without the reduction part
  std::int64_t output = 0;     ///< bytes
  std::int64_t reduction = 0;  ///< reduction steps done outside the microkernel
  std::int64_t channel = 0;    ///< index of the vectorised dim
  std::array<std::int64_t, kMaxGuards>
      guard{};  ///< index of each guarded data dim, padding negative

  Position& operator+=(const Position& other);
};

/// Pixel validity along one guarded data dim, by the index that pixel 0 has at the first step.
struct GuardTable {
  std::int64_t first = 0;              ///< index of entry 0
  std::vector<std::uint16_t> pattern;  ///< number of the validity pattern
  std::int64_t lists = 1;              ///< run lists per pattern: the products of the later guards
};

/// Runs of one call.
struct RunList {
  const Run* runs = nullptr;
  std::int64_t count = 0;
};

/// One microkernel with the run lists of every validity pattern.
struct Leaf {
  std::shared_ptr<const Microkernel> kernel;
  KernelFunction function = nullptr;  ///< of `kernel`
  std::int64_t row_bytes = 0;         ///< packed weights of one reduction step
  std::int64_t channels = 0;          ///< elements of the vectorised dim per call
  std::vector<GuardTable> guards;
  std::vector<RunList> lists;  ///< index: sum over guards of pattern * guard.lists
  std::vector<Run> runs;       ///< of all lists
};

/// A loop. Each trip runs the children in sequence (several under a lambda), or calls the leaf.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;    ///< added once before the first trip
  Position advance;  ///< added after each trip
  int leaf = -1;
  std::vector<LoopNode> children;
};

/// How packed weights are ordered: [outer][channel block][reduction step][vectors of the block].
struct WeightsOrder {
  std::vector<Dim> outer;            ///< batch and further channel dims, domain order
  std::vector<std::int64_t> blocks;  ///< channels of each block, in order, lanes included
  std::vector<Tile> steps;           ///< reduction coordinates of each step, in order
  std::int64_t outer_count = 1;
  std::int64_t channels = 0;  ///< sum of blocks

  std::int64_t elements() const {
    return outer_count * channels * static_cast<std::int64_t>(steps.size());
  }
};

/// Tensors of one run, base addresses.
struct Buffers {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
};

struct LoopTree {
  LoopNode root;
  std::vector<Leaf> leaves;
  std::int64_t channel_extent = 0;  ///< of the vectorised dim; calls that pass it are tails
  Position origin;
  WeightsOrder weights;
};

/// What the tree is built for, besides the nest.
struct TreeSpec {
  Isa isa = Isa::avx512;
  TensorLayout input, output;
  int prefetch = 0;
  bool nontemporal = false;
};

/// Throws Error when a layout cannot be written by whole vectors or a tile crosses the blocks of a
/// layout.
LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec);

/// Runs every call of the tree.
void execute(const LoopTree& tree, const Buffers& buffers);

}  // namespace tileplan
