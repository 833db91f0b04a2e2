// SPDX-License-Identifier: Apache-2.0
// A calibration measures these rates of microkernels and transforms.
#pragma once

#include <array>
#include <vector>

#include "tileplan/arithmetic.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the measured speed of a register tile. A call of n reduction steps takes cycles_per_call +
/// n * cycles_per_step cycles. If the call continues a split reduction, cycles_per_resume is added.
struct KernelRate {
  int pixels = 0;   ///< The tile has this many outputs per output channel.
  int vectors = 0;  ///< The tile spans this many vectors of output channels.
  double cycles_per_step = 0;
  double cycles_per_call = 0;    ///< A call clears the tile, enters the loop and stores the tile.
  double cycles_per_resume = 0;  ///< A resumed tile is loaded from the output instead of cleared.

  bool operator==(const KernelRate&) const = default;
};

/// Holds the measured speed of the transforms of a Winograd tile, in cycles per tile of one vector
/// of channels. Sizes are those along the height, then the width.
struct TransformRate {
  std::array<int, 2> outputs = {1, 1};  ///< A tile has these numbers of rows and columns.
  std::array<int, 2> taps = {1, 1};
  /// These are the cycles when the transformed tiles are in the first cache level.
  double in_first = 0, out_first = 0;
  /// These are the cycles when the transformed tiles are in the second cache level.
  double in_second = 0, out_second = 0;

  bool operator==(const TransformRate&) const = default;
};

/// Holds the measured speed of microkernels other than those of f32.
struct ArithmeticRates {
  Arithmetic arithmetic = Arithmetic::dot_bytes;
  double steps_per_cycle = 0;  ///< Without loads, a cycle adds this many vectors of products.
  std::vector<KernelRate> kernels = {};

  bool operator==(const ArithmeticRates&) const = default;
};

/// Lines that come one or two in a row take these multiples of their time, (M) of models/README.md.
struct ShortRows {
  double from_cache = 2.5, from_memory = 4;

  bool operator==(const ShortRows&) const = default;
};

/// Holds costs that were measured, fitted or chosen on single machines. docs/experiments.md says
/// how, and how much a factor of two in each changes the choice of a schedule. A machine file may
/// give the costs of its machine. The letters name equations of models/README.md.
struct Overheads {
  /// The walk over the loops calls assembled code, (S). About half of the time goes to computing
  /// addresses and selecting the kernel variant, and the pipeline is empty during the other half.
  double dispatch_cycles = 180;
  /// Inside a call, new pointers and an indirect jump begin the next run of steps, (S).
  double run_cycles = 4;
  /// Packing takes cycles per contiguous row, per pixel of a row whose pixels are not contiguous in
  /// the input, and per channel of a row whose channels are not, (R).
  double packed_row_cycles = 50, packed_pixel_cycles = 1, packed_channel_cycles = 3;
  double transposed_cycles = 0.8;  ///< Square blocks are transposed in registers, (R).
  /// A register tile reads a row of weights in place, and all rows share few sets, (I).
  double apart_row_cycles = 14;
  double prefetch_cycles = 0.5;  ///< A core prefetches a line while it waits for the link, (Q).
  ShortRows short_rows = {};
  /// Nothing hides this share of the shorter of two times, (E).
  double exposed_share = 0.1;
  /// A run checks its tensors and finds memory for its stages before the loops begin, (T).
  double start_cycles = 340;
  double fork_seconds = 0.9e-6;  ///< An OpenMP team whose threads spin starts and joins.

  bool operator==(const Overheads&) const = default;
};

/// Holds the numbers that a calibration measures in addition to those of caches and clock.
struct MeasuredRates {
  double overlap_exponent = 4;  ///< This is rho of eq. (T); 1 means no overlap.
  int prefetch_steps = 0;       ///< Weights are prefetched this many reduction steps early.
  /// Non-temporal stores reach memory at this rate. With 0, they are as fast as stores through the
  /// last cache.
  double streamed_bytes_per_second = 0;
  /// All cores that share one last cache together load from memory at this rate. With 0, or with a
  /// rate below that of one core, they are no faster than one.
  double joint_bytes_per_second = 0;
  /// An arithmetic without measured rates has a throughput bound. This list is for f32, and
  /// `others` for all other arithmetic.
  std::vector<KernelRate> kernels = {};
  /// The model derives the rates of transforms that this list lacks from their operations.
  std::vector<TransformRate> transforms = {};
  std::vector<ArithmeticRates> others = {};
  Overheads overheads = {};

  bool operator==(const MeasuredRates&) const = default;
};

}  // namespace tileplan
