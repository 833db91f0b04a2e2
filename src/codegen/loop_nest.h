// SPDX-License-Identifier: Apache-2.0
// Nest -> loop tree with byte offsets, microkernel calls at its leaves; and the function that walks
// it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "leaf.h"
#include "nest.h"
#include "weights_order.h"

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

/// A loop. Each trip runs the children in sequence (several under a lambda), or calls the leaf.
struct LoopNode {
  std::int64_t trips = 1;
  Position start;    ///< added once before the first trip
  Position advance;  ///< added after each trip
  int leaf = -1;
  std::vector<LoopNode> children;
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

/// Runs every call of the tree (execute.cpp).
void execute(const LoopTree& tree, const Buffers& buffers);

}  // namespace tileplan
