// SPDX-License-Identifier: Apache-2.0
// Specifies the code of a microkernel and the arguments of a call.
#pragma once

#include <cstdint>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Describes consecutive reduction steps of one set of pixels, while other pixels read padding. An
/// unrolled list is one run whose body makes all steps; its `input` and `weights` are 0.
struct ReductionRun {
  std::int64_t input = 0;    ///< Pixel 0 is this far from the input pointer of the call, in bytes.
  std::int64_t weights = 0;  ///< The weights are this far from the weights pointer, in bytes.
  std::int64_t steps = 0;    ///< A run has at least 1 step.
  const void* body = nullptr;  ///< This code computes the set of pixels.
};

/// Holds a set of pixels of a register tile. Bit p is set when pixel p is in the set.
using PixelSet = std::uint32_t;
constexpr int kMaxPixels = 32;

/// Returns pixels 0 .. count - 1. Requires: 1 <= count <= kMaxPixels.
constexpr PixelSet all_pixels(int count) { return ~PixelSet{0} >> (kMaxPixels - count); }

constexpr std::int64_t kAccumulate = 1;     ///< Sums start from the output instead of zero.
constexpr std::int64_t kTail = 2;           ///< The last vector has only the lanes of the tail.
constexpr std::int64_t kApplyEpilogue = 4;  ///< The sums are complete, so the epilogue follows.

/// Describes one step of an unrolled list, in bytes from the pointers of the call.
struct UnrolledStep {
  std::int64_t input = 0, weights = 0;
  PixelSet pixels = 0;
};

/// Holds the distances in bytes from one tile to another.
struct TileStride {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0, next_tile = 0;
};

/// Holds rows of tiles with equal runs and flags. The addresses belong to the first tile.
struct TileGrid {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;           ///< There are this many runs.
  std::int64_t flags = 0;           ///< The flags are kAccumulate, kTail and kApplyEpilogue.
  const char* bias = nullptr;       ///< Epilogues with a bias read it from the first channel on.
  std::int64_t residual = 0;        ///< The residual is this many bytes from the output.
  const char* next_tile = nullptr;  ///< Prefetches of the next tile begin here.
  std::int64_t tiles = 1;           ///< A row has at least 1 tile.
  std::int64_t rows = 1;            ///< A grid has at least 1 row.
  TileStride step = {};             ///< Neighbouring tiles of a row are this far apart.
  TileStride row_step = {};         ///< The next row is this far from the last tile of a row.
  std::int64_t left = 0;            ///< The kernel counts down the tiles of a row here.
};

/// Adds to each output tile the products of input pixels and weights of all runs and steps, then
/// applies the epilogue under kApplyEpilogue. Prefetches from `next_tile` on. The kernel changes
/// the counters and pointers of `grid`.
using KernelFunction = void (*)(TileGrid* grid);

/// Lists the offsets, in bytes and per pixel, of elements that are broadcast to all lanes.
struct BroadcastOffsets {
  /// When vectors hold pixels, these are the offsets of the weights of one step, and each "pixel"
  /// of the tile is a row of vectors of one channel. When empty, the weights of a step are vectors.
  std::vector<std::int64_t> weights = {};
  std::vector<std::int64_t> bias = {};  ///< When empty, the bias has vectors.
};

struct InputVectors {
  std::int64_t stride = 0;  ///< Vectors are this many bytes apart; 0 is a broadcast input.
  int tail_lanes = 0;       ///< The last vector has this many lanes under kTail; 0 is all.
};

struct ReductionCode {
  std::int64_t step_stride = 4;  ///< Consecutive steps read inputs this many bytes apart.
  std::vector<PixelSet> bodies;  ///< Each set that occurs has a body; no set is empty.
  std::vector<std::vector<UnrolledStep>> unrolled;  ///< Each of these lists has its own code.
  int unroll = 4;                                   ///< A loop iteration has this many steps.
};

struct PrefetchCode {
  int weight_steps = 0;             ///< Weights are prefetched this many steps early; 0 is none.
  int next_tile_lines = 0;          ///< A loop iteration prefetches this many cache lines.
  std::int64_t input_distance = 0;  ///< The input of the next tile is this many bytes away.
  bool output = false;              ///< Unrolled lists prefetch the output tile for writing.
};

struct OutputCode {
  int tail_lanes = 0;        ///< The last vector has this many lanes under kTail; 0 is all.
  bool tail_zeroed = false;  ///< The last vector under kTail is stored whole, zeros included.
  bool nontemporal = false;  ///< Stores are streaming; outputs must be aligned to vectors.
  Epilogue epilogue = {};    ///< Callers set kAccumulate; Epilogue::accumulate is ignored.
};

/// Specifies everything that is constant in the code. Offsets and strides are in bytes.
struct MicrokernelSpec {
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;
  int vectors = 1;
  std::vector<std::int64_t> input_offsets = {};  ///< Each of up to kMaxPixels pixels has an offset.
  std::vector<std::int64_t> output_offsets = {};  ///< Each pixel has an offset.
  std::int64_t vector_stride = 0;                 ///< Vectors in the output are this far apart.
  BroadcastOffsets broadcasts = {};
  InputVectors input_vectors = {};
  ReductionCode reduction = {};
  PrefetchCode prefetch = {};
  OutputCode output = {};
};

/// Returns true when this CPU runs kernels assembled for `isa`.
bool host_has(Isa isa);

/// Returns the number of bytes in a vector register. Throws Error for ISAs without an assembler.
int vector_bytes_of(Isa isa);

/// Returns the number of elements of `type` in a vector register. Throws Error as vector_bytes_of
/// does.
int lanes_of(Isa isa, ElementType type = ElementType::f32);

/// Returns the number of vector registers: 16 on avx2, 32 on all others.
int registers_of(Isa isa);

}  // namespace tileplan
