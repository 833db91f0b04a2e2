// SPDX-License-Identifier: Apache-2.0
// The nouns of a microkernel: the specification of its code, and the arguments of a call.
#pragma once

#include <cstdint>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Consecutive reduction steps of one pixel set, whose other pixels read padding. The body of an
/// unrolled list does all its steps at once; it takes `input` and `weights` 0.
struct ReductionRun {
  std::int64_t input = 0;      ///< bytes from the input pointer of the call to pixel 0
  std::int64_t weights = 0;    ///< bytes from the weights pointer of the call
  std::int64_t steps = 0;      ///< at least 1
  const void* body = nullptr;  ///< code for the set of pixels
};

/// A set of pixels of a register tile; bit p stands for pixel p.
using PixelSet = std::uint32_t;
constexpr int kMaxPixels = 32;

/// Returns pixels 0 .. count - 1. Requires: 1 <= count <= kMaxPixels.
constexpr PixelSet all_pixels(int count) { return ~PixelSet{0} >> (kMaxPixels - count); }

constexpr std::int64_t kAccumulate = 1;     ///< start from the output instead of zero
constexpr std::int64_t kTail = 2;           ///< the last vector has only the lanes of the tail
constexpr std::int64_t kApplyEpilogue = 4;  ///< the sums are complete: the epilogue is due

/// One step of an unrolled list, bytes from the pointers of the call.
struct UnrolledStep {
  std::int64_t input = 0;
  std::int64_t weights = 0;
  PixelSet pixels = 0;
};

/// Bytes from one tile to another.
struct TileStride {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0, next_tile = 0;
};

/// Rows of tiles with the same runs and flags. The addresses belong to the first tile.
struct TileGrid {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;           ///< of the runs
  std::int64_t flags = 0;           ///< kAccumulate, kTail, kApplyEpilogue
  const char* bias = nullptr;       ///< of the first channel; read by epilogues that add it
  std::int64_t residual = 0;        ///< bytes from an element of the output to what is added to it
  const char* next_tile = nullptr;  ///< where PrefetchCode::next_tile_lines begin, if there are any
  std::int64_t tiles = 1;           ///< of a row; at least 1
  std::int64_t rows = 1;            ///< at least 1
  TileStride step = {};             ///< from one tile of a row to the next
  TileStride row_step = {};         ///< from the last tile of a row to the first of the next
  std::int64_t left = 0;            ///< of the tiles of a row, while the kernel runs
};

/// Adds to each output tile, over runs and steps, the input pixels times the weights row; one of
/// them may be broadcast. Applies the epilogue under kApplyEpilogue, prefetches from `next_tile`
/// on, and counts and moves in `grid` itself.
using KernelFunction = void (*)(TileGrid* grid);

/// Operands of which all lanes of a vector share one element. Bytes, one offset per pixel.
struct BroadcastOffsets {
  /// The place of each weight in the weights row when vectors are of pixels; a "pixel" is then a
  /// row of vectors of one channel. Empty: the weights row is vectors.
  std::vector<std::int64_t> weights = {};
  std::vector<std::int64_t> bias = {};  ///< empty: the bias is vectors
};

/// Inputs that are vectors.
struct InputVectors {
  std::int64_t stride = 0;  ///< bytes between vectors; 0: the input is broadcast
  int tail_lanes = 0;       ///< of the last vector under kTail; 0: it is whole
};

/// The code of the reduction.
struct ReductionCode {
  std::int64_t step_stride = 4;                     ///< bytes between steps in the input
  std::vector<PixelSet> bodies;                     ///< pixel sets that occur, each non-empty
  std::vector<std::vector<UnrolledStep>> unrolled;  ///< lists with code of their own
  int unroll = 4;                                   ///< steps per loop iteration
};

/// The prefetches of a call.
struct PrefetchCode {
  int weight_steps = 0;             ///< weights so many reduction steps ahead; 0: none
  int next_tile_lines = 0;          ///< cache lines per loop iteration
  std::int64_t input_distance = 0;  ///< bytes from vectors of pixels to those of the next tile
  bool output = false;              ///< unrolled lists fetch the output tile for writing
};

/// The stores of the output.
struct OutputCode {
  int tail_lanes = 0;        ///< of the last vector under kTail; 0: it is whole
  bool tail_zeroed = false;  ///< under kTail the last vector is written whole, zeros at its end
  bool nontemporal = false;  ///< streaming stores; outputs must be vector-aligned
  Epilogue epilogue = {};    ///< `accumulate` is the caller's: kAccumulate
};

/// Everything that is constant in the code. Offsets and strides in bytes.
struct MicrokernelSpec {
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;
  int vectors = 1;
  std::vector<std::int64_t> input_offsets = {};   ///< of each pixel; at most kMaxPixels
  std::vector<std::int64_t> output_offsets = {};  ///< of each pixel
  std::int64_t vector_stride = 0;                 ///< between vectors in the output
  BroadcastOffsets broadcasts = {};
  InputVectors input_vectors = {};
  ReductionCode reduction = {};
  PrefetchCode prefetch = {};
  OutputCode output = {};
};

/// True when this CPU runs kernels assembled for `isa`.
bool host_has(Isa isa);

/// Returns the bytes of a vector register. Throws Error for ISAs without an assembler.
int vector_bytes_of(Isa isa);

/// Returns the elements of `type` per vector register. Throws Error as vector_bytes_of.
int lanes_of(Isa isa, ElementType type = ElementType::f32);

/// Returns the number of vector registers: 16 on avx2, 32 on all others.
int registers_of(Isa isa);

}  // namespace tileplan
