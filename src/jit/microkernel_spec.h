// SPDX-License-Identifier: Apache-2.0
// This file declares the constants, arguments, instructions and registers of microkernels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loop_types.h"
#include "tileplan/epilogue.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Describes consecutive reduction steps in which the same pixels lie inside the tensor. An
/// unrolled list of runs is replaced by one run whose body makes all steps; its `input` and
/// `weights` are 0.
struct ReductionRun {
  std::int64_t input = 0;  ///< The input of pixel 0 begins this far from TileGrid::input, in bytes.
  std::int64_t weights = 0;    ///< The weights begin this far from TileGrid::weights, in bytes.
  std::int64_t steps = 0;      ///< A run has at least 1 step.
  const void* body = nullptr;  ///< This code computes the pixels of the run.
};

/// Represents a set of pixels of a register tile. Bit p is set when the set contains pixel p.
using PixelSet = std::uint32_t;
constexpr int kMaxPixels = 32;

/// Returns the set of pixels 0 .. count - 1. Requires: 1 <= count <= kMaxPixels.
constexpr PixelSet all_pixels(int count) { return ~PixelSet{0} >> (kMaxPixels - count); }

constexpr std::int64_t kAccumulate = 1;  ///< With this flag, the output is added to the sums.
constexpr std::int64_t kTail = 2;  ///< With this flag, the last vector has only tail_lanes lanes.
/// With this flag, the sums are complete, and the epilogue follows.
constexpr std::int64_t kApplyEpilogue = 4;
/// With this flag, the output is multiplied by beta before the output is added to the sums.
constexpr std::int64_t kScaleOutput = 8;

/// Holds a reduction step's offsets from the current pointers (in unrolled code, from the tile's).
struct UnrolledStep {
  std::int64_t input = 0, weights = 0;
  PixelSet pixels = 0;
};

/// Holds the distances in bytes from one tile to another.
struct TileStride {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0, next_tile = 0;
};

/// Holds the output of one run and the numbers with which finished sums are converted to it.
struct StoreConversion {
  char* output = nullptr;
  std::int64_t scales = 0;  ///< Scales of channels are this many bytes from the bias.
  /// Sums are multiplied by this number if ConvertedOutput::tensor_scale is true.
  float scale = 1;
  float low = 0, high = 0;  ///< Results are clamped to these limits before they are rounded.
  std::int32_t zero_point = 0;
};

/// Describes rows of tiles with equal runs. `input`, `weights` and `output` are of the first tile.
struct TileGrid {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;  ///< `runs` has this many elements.
  std::int64_t flags = 0;  ///< The flags from kAccumulate to kScaleOutput may be set.
  /// An epilogue with a bias reads the bias of the first channel here.
  const char* bias = nullptr;
  std::int64_t residual = 0;        ///< The residual is this many bytes from the output.
  const char* next_tile = nullptr;  ///< Prefetches of the next tile begin here.
  std::int64_t tiles = 1;           ///< A row has this many tiles, at least 1.
  std::int64_t rows = 1;            ///< The grid has this many rows, at least 1.
  TileStride step = {};             ///< Neighbouring tiles of a row are this far apart.
  TileStride row_step = {};         ///< The next row begins this far after the last tile of a row.
  std::int64_t left = 0;            ///< The kernel counts the remaining tiles of a row here.
  const char* sums = nullptr;       ///< Sums that are converted begin here.
  char* converted = nullptr;        ///< The output of the conversion begins here.
  const StoreConversion* conversion = nullptr;
  const char* factors = nullptr;  ///< This is Buffers::factors.
};

/// Points to the code of a microkernel. For each tile, the code sums the products of all runs,
/// multiplies the sums by alpha, adds the output as kAccumulate and kScaleOutput tell, applies the
/// rest of the epilogue if kApplyEpilogue is set, and stores the results. The code changes `grid`.
using KernelFunction = void (*)(TileGrid* grid);

/// Lists the offsets in bytes of elements that are broadcast to all lanes, one offset per pixel.
struct BroadcastOffsets {
  /// Holds the offsets of the weights of one step when vectors hold pixels; each "pixel" of the
  /// tile is then a row of vectors of one channel. It is empty when weights are loaded as vectors.
  std::vector<std::int64_t> weights = {};
  std::vector<std::int64_t> bias = {};  ///< When this is empty, the bias is loaded as vectors.
};

/// Tells which instructions multiply strips and add the products to sums (polyhedral/strips.h).
struct ProductCode {
  Arithmetic arithmetic = Arithmetic::fma;
  bool two_instructions = false;  ///< If true, one instruction multiplies, and another one adds.
  bool unsigned_weights = false;  ///< If true, the bytes of the weights are unsigned.
  /// If true, the bytes of the input are unsigned. Only AMX tiles read this field.
  bool unsigned_input = false;
  /// A strip of the input or of the weights has this many bytes. Only AMX tiles read this field.
  int strip_bytes = 4;
  std::uint32_t flip = 0;  ///< These bits of each strip of the input are inverted.
  /// If true, padding is multiplied, because zeros are no longer zero after `flip`.
  bool counts_padding = false;
  /// If set, the input has single elements of this type, of which the kernel makes strips, or which
  /// it widens (microkernel_taps.cpp).
  std::optional<ElementType> single = {};
};

/// Returns the instructions for `types` on a CPU that has `dots`.
ProductCode product_code(const LoopTypes& types, const DotProducts& dots);

struct InputVectors {
  /// Vectors are this many bytes apart; 0 means that the input is not loaded as vectors.
  std::int64_t stride = 0;
  int tail_lanes = 0;  ///< With kTail, the last vector has this many lanes; 0 means all lanes.
};

/// Describes where the weights of a reduction step lie. By default they are packed: rows follow
/// each other without gaps.
struct WeightsRows {
  /// Rows of consecutive steps are this many bytes apart; without a value, rows are adjacent.
  std::optional<std::int64_t> step_stride = {};
  /// Broadcast weights of neighbouring channels are this many bytes apart (adjacent if unset).
  std::optional<std::int64_t> channel_stride = {};
  int tail_lanes = 0;  ///< With kTail, the last vector has this many lanes; 0 means all lanes.
};

struct ReductionCode {
  std::int64_t step_stride = 4;  ///< Consecutive steps read inputs this many bytes apart.
  std::vector<PixelSet> bodies;  ///< Each of these sets of pixels gets its own code.
  /// Each of these lists of steps gets its own code.
  std::vector<std::vector<UnrolledStep>> unrolled;
  int unroll = 4;  ///< A loop iteration has this many steps.
};

struct PrefetchCode {
  /// Weights are prefetched this many steps early; 0 disables this prefetch.
  int weight_steps = 0;
  int next_tile_lines = 0;  ///< A loop iteration prefetches this many lines of the next tile.
  /// If not 0, each step prefetches the input this many bytes ahead, in the next tile.
  std::int64_t input_distance = 0;
  bool output = false;  ///< If true, unrolled code prefetches the output tile for writing.
};

/// Tells to which type finished sums are converted, and which steps of the conversion are needed.
struct ConvertedOutput {
  ElementType type = ElementType::u8;
  bool channel_scales = false, tensor_scale = false;
  bool clamps_low = true, clamps_high = true, adds_zero_point = false;
};

struct OutputCode {
  int tail_lanes = 0;  ///< With kTail, the last vector has this many lanes; 0 means all lanes.
  /// If true, the last vector is stored whole, with zeros beyond its lanes.
  bool tail_zeroed = false;
  bool nontemporal = false;  ///< If true, streaming stores are used. They need aligned outputs.
  /// The flags kAccumulate and kScaleOutput of a call tell when `beta` applies.
  Epilogue epilogue = {};
  /// If set, finished sums are converted and stored at TileGrid::converted instead of the output.
  std::optional<ConvertedOutput> converted = {};
};

/// Holds the constants in the code of a microkernel. Offsets and strides are in bytes.
struct MicrokernelSpec {
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;  ///< The sums have this type.
  ProductCode product = {};
  int vectors = 1;
  std::vector<std::int64_t> input_offsets = {};  ///< Each of up to kMaxPixels pixels has an offset.
  std::vector<std::int64_t> output_offsets = {};  ///< Each pixel has an offset.
  std::int64_t vector_stride = 0;                 ///< Vectors in the output are this far apart.
  BroadcastOffsets broadcasts = {};
  InputVectors input_vectors = {};
  WeightsRows weights = {};
  ReductionCode reduction = {};
  PrefetchCode prefetch = {};
  OutputCode output = {};
};

/// Returns true when this CPU can execute microkernels for `isa`.
bool host_has(Isa isa);

/// Returns the instructions for dot products that this CPU has for `isa`, which are none for avx2
/// and for an `isa` that this CPU lacks.
DotProducts host_dots(Isa isa);

/// Returns the number of bytes in a vector register. Throws Error for an ISA without an assembler.
int vector_bytes_of(Isa isa);

/// Returns the number of elements in a vector register. Throws Error as vector_bytes_of() does.
int lanes_of(Isa isa, ElementType type = ElementType::f32);

/// Returns the number of vector registers (16 on avx2, 32 with AVX-512), or of AMX tiles for amx.
int registers_of(Isa isa);

}  // namespace tileplan
