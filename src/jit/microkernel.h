// SPDX-License-Identifier: Apache-2.0
// The register-blocked microkernel, assembled at run time: pixels x channel vectors over lists of
// reduction runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Consecutive reduction steps: weights advance by one row of vectors per step, the input by
/// `MicrokernelSpec::step_stride`. The body says which pixels take part (the others read padding).
/// The body of an unrolled list does all its steps at once; it takes `input` and `weights` 0.
struct Run {
  std::int64_t input =
      0;  ///< bytes from the input pointer of the call to pixel 0 of the first step
  std::int64_t weights = 0;    ///< bytes from the weights pointer of the call
  std::int64_t steps = 0;      ///< at least 1
  const void* body = nullptr;  ///< code for the set of pixels
};

/// Set of pixels of a register tile, bit p for pixel p.
using PixelSet = std::uint32_t;
constexpr int kMaxPixels = 32;

/// Pixels 0 .. count - 1. Requires: 1 <= count <= kMaxPixels.
constexpr PixelSet all_pixels(int count) { return ~PixelSet{0} >> (kMaxPixels - count); }

constexpr std::int64_t kAccumulate = 1;  ///< start from the output instead of zero
constexpr std::int64_t kTail = 2;        ///< the last vector has only the lanes of the tail
constexpr std::int64_t kFinish = 4;      ///< the sums are complete: the epilogue is due

/// One step of an unrolled list, bytes from the pointers of the call.
struct UnrolledStep {
  std::int64_t input = 0;
  std::int64_t weights = 0;
  PixelSet pixels = 0;
};

/// Bytes from one tile to another.
struct TileSteps {
  std::int64_t input = 0, weights = 0, output = 0, bias = 0, ahead = 0;
};

/// Rows of tiles computed one after the other, with the same runs and flags. The addresses are
/// those of the first.
struct TileGrid {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  const Run* runs = nullptr;
  std::int64_t count = 0;       ///< of the runs
  std::int64_t flags = 0;       ///< kAccumulate, kTail, kFinish
  const char* bias = nullptr;   ///< of the first channel; read by epilogues that add it
  std::int64_t residual = 0;    ///< bytes from an element of the output to what is added to it
  const char* ahead = nullptr;  ///< where MicrokernelSpec::ahead_lines begin; any if there are none
  std::int64_t tiles = 1;       ///< of a row; at least 1
  std::int64_t rows = 1;        ///< at least 1
  TileSteps step = {};          ///< from one tile of a row to the next
  TileSteps row_step = {};      ///< from the last tile of a row to the first of the next
  std::int64_t left = 0;        ///< of the tiles of a row, while the kernel runs
};

/// Each output tile (+)= sum over runs and steps of input pixel * weights row, the input broadcast
/// or, when it has the vectorised dim too, a row of vectors, or, when the weights have not that
/// dim, a row of vectors times one broadcast weight; then, under kFinish, the epilogue. From
/// `ahead` on, `MicrokernelSpec::ahead_lines` per loop iteration are brought into the second-level
/// cache. Counts and moves in `grid` itself.
using KernelFunction = void (*)(TileGrid* grid);

/// Everything that is constant in the code. Offsets and strides in bytes.
struct MicrokernelSpec {
  Isa isa = Isa::avx512;
  ElementType type = ElementType::f32;
  int vectors = 1;
  std::vector<std::int64_t> input_offsets;   ///< of each pixel; at most kMaxPixels
  std::vector<std::int64_t> output_offsets;  ///< of each pixel
  /// Of each pixel when vectors are of pixels: where its weight is in the weights row (broadcast).
  /// Empty: the weights row is vectors. A "pixel" is then one row of vectors of one channel; those
  /// of one place in the input lie side by side.
  std::vector<std::int64_t> weight_offsets = {};
  /// Of each pixel when the lanes of a vector share one bias (broadcast); empty: it is vectors.
  std::vector<std::int64_t> bias_offsets = {};
  std::int64_t vector_stride = 0;                   ///< between vectors in the output
  std::int64_t input_vector_stride = 0;             ///< and in the input; 0: the input is broadcast
  std::int64_t step_stride = 4;                     ///< between reduction steps in the input
  std::vector<PixelSet> bodies;                     ///< pixel sets that occur, each non-empty
  std::vector<std::vector<UnrolledStep>> unrolled;  ///< lists with code of their own
  int unroll = 4;                                   ///< reduction steps per loop iteration
  int prefetch = 0;              ///< weights are prefetched so many steps ahead; 0: not
  int ahead_lines = 0;           ///< cache lines of later weights prefetched per loop iteration
  std::int64_t input_ahead = 0;  ///< from vectors of pixels to those prefetched beside; 0: none
  bool claims = false;           ///< unrolled lists fetch the lines of the output tile for writing
  int tail_lanes = 0;            ///< of the last output vector under kTail; 0: it is whole
  int input_tail_lanes = 0;      ///< of the last input vector under kTail; 0: it is whole
  bool tail_zeroed = false;      ///< under kTail the last vector is written whole, zeros at its end
  bool nontemporal = false;      ///< streaming stores; outputs must be vector-aligned
  Epilogue epilogue = {};        ///< `accumulate` is the caller's: kAccumulate
};

/// Executable code of one spec. Never writable and executable at once.
class Microkernel {
 public:
  /// Requires: the tile fits the register file (fits_registers), offsets within 2 GiB.
  explicit Microkernel(const MicrokernelSpec& spec);
  ~Microkernel();
  Microkernel(Microkernel&&) noexcept;
  Microkernel& operator=(Microkernel&&) noexcept;

  KernelFunction function() const;
  /// Entry of the body of `pixels`, for Run::body. Requires: one of spec.bodies.
  const void* body(PixelSet pixels) const;
  /// Entry of the unrolled list `number` of spec.unrolled, for Run::body.
  const void* unrolled(std::size_t number) const;

 private:
  class Assembler;
  std::unique_ptr<Assembler> assembler_;
};

/// True when this CPU runs kernels assembled for `isa`.
bool host_has(Isa isa);

/// Bytes of a vector register: 64 on avx512, 32 on avx512vl and avx2. Throws Error for ISAs without
/// an assembler.
int vector_bytes_of(Isa isa);

/// Elements of `type` per vector register. Throws Error as vector_bytes_of.
int lanes_of(Isa isa, ElementType type = ElementType::f32);

/// Vector registers: 16 on avx2, 32 on all others.
int registers_of(Isa isa);

}  // namespace tileplan
