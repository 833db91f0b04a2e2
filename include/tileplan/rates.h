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

/// Holds the numbers that a calibration measures in addition to those of caches and clock.
struct MeasuredRates {
  double overlap_exponent = 4;  ///< This is rho of eq. (T); 1 means no overlap.
  int prefetch_steps = 0;       ///< Weights are prefetched this many reduction steps early.
  /// Non-temporal stores reach memory at this rate. With 0, they are as fast as stores through the
  /// last cache.
  double streamed_bytes_per_second = 0;
  /// An arithmetic without measured rates has a throughput bound. This list is for f32, and
  /// `others` for all other arithmetic.
  std::vector<KernelRate> kernels = {};
  /// The model derives the rates of transforms that this list lacks from their operations.
  std::vector<TransformRate> transforms = {};
  std::vector<ArithmeticRates> others = {};

  bool operator==(const MeasuredRates&) const = default;
};

}  // namespace tileplan
