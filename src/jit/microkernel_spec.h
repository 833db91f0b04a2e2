// SPDX-License-Identifier: Apache-2.0
// Specifies the code of a microkernel and the arguments of a call.
#pragma once

#include <cstdint>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Describes consecutive reduction steps of one pixel set, whose other pixels read padding. The
/// body of an unrolled list does all its steps at once; it takes `input` and `weights` 0.
struct ReductionRun {
  std::int64_t input = 0;    ///< Pixel 0 is this far from the input pointer of the call, in bytes.
  std::int64_t weights = 0;  ///< The weights are this far from the weights pointer, in bytes.
  std::int64_t steps = 0;    ///< A run has at least 1 step.
  const void* body = nullptr;  ///< This code computes the set of pixels.
};

/// Holds pixels of a register tile; bit p stands for pixel p.
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

/// Gives the bytes from one tile to another.
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
  std::int64_t residual = 0;        ///< An output element's addend is this many bytes from it.
  const char* next_tile = nullptr;  ///< PrefetchCode::next_tile_lines begin here, if there are any.
  std::int64_t tiles = 1;           ///< A row has at least 1 tile.
  std::int64_t rows = 1;            ///< A grid has at least 1 row.
  TileStride step = {};             ///< This leads from one tile of a row to the next.
  TileStride row_step = {};         ///< This leads from the last tile of a row to the next row.
  std::int64_t left = 0;            ///< The kernel counts down the tiles of a row here.
};

/// Adds to each output tile, over runs and steps, the input pixels times the weights row; one of
/// them may be broadcast. Applies the epilogue under kApplyEpilogue, prefetches from `next_tile`
/// on, and advances the counters and pointers in `grid` itself.
using KernelFunction = void (*)(TileGrid* grid);

/// Lists operands of which all lanes of a vector share one element: in bytes, one per pixel.
struct BroadcastOffsets {
  /// Gives the place of each weight in the weights row when vectors are of pixels; a "pixel" is
  /// then a row of vectors of one channel. When empty, the weights row consists of vectors.
  std::vector<std::int64_t> weights = {};
  std::vector<std::int64_t> bias = {};  ///< When empty, the bias consists of vectors.
};

struct InputVectors {
  std::int64_t stride = 0;  ///< Vectors are this many bytes apart; 0 is a broadcast input.
  int tail_lanes = 0;       ///< The last vector has this many lanes under kTail; 0 is all.
};

struct ReductionCode {
  std::int64_t step_stride = 4;  ///< Steps in the input are this many bytes apart.
  std::vector<PixelSet> bodies;  ///< Each set that occurs has a body; none is empty.
  std::vector<std::vector<UnrolledStep>> unrolled;  ///< These lists have code of their own.
  int unroll = 4;                                   ///< A loop iteration has this many steps.
};

struct PrefetchCode {
  int weight_steps = 0;             ///< Weights are prefetched this many steps early; 0 is none.
  int next_tile_lines = 0;          ///< A loop iteration prefetches this many cache lines.
  std::int64_t input_distance = 0;  ///< The next tile is this many bytes away.
  bool output = false;              ///< Unrolled lists prefetch the output tile for writing.
};

struct OutputCode {
  int tail_lanes = 0;        ///< The last vector has this many lanes under kTail; 0 is all.
  bool tail_zeroed = false;  ///< The last vector under kTail is stored whole, zeros included.
  bool nontemporal = false;  ///< Stores are streaming; outputs must be aligned to vectors.
  Epilogue epilogue = {};    ///< Its `accumulate` is ignored, since callers set kAccumulate.
};

/// Specifies everything that is constant in the code. Offsets and strides are in bytes.
struct MicrokernelSpec {
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;
  int vectors = 1;
  std::vector<std::int64_t> input_offsets = {};   ///< Each pixel has one; at most kMaxPixels do.
  std::vector<std::int64_t> output_offsets = {};  ///< Each pixel has one.
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
