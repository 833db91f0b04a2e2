// SPDX-License-Identifier: Apache-2.0
// This header declares the rates of microkernels, transforms and memory that a calibration
// measures, and further costs that predictions use.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tileplan/arithmetic.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Calls of fewer reduction steps than this are short: a core begins the next call before it
/// finishes one.
inline constexpr int kShortCallSteps = 16;

/// Holds the measured speed of a register tile, in cycles. A call of n >= kShortCallSteps reduction
/// steps takes cycles_per_call + n * cycles_per_step. The cycles of shorter calls lie on the line
/// from cycles_per_short_call, for no steps, to those of kShortCallSteps. A call that continues a
/// sum from the output takes cycles_per_resume more.
struct KernelRate {
  int pixels = 0;   ///< Counts the outputs of the tile per output channel.
  int vectors = 0;  ///< Counts the vectors of output channels that the tile spans.
  double cycles_per_step = 0;
  /// Gives the cycles for clearing the tile, entering the loop and storing the tile.
  double cycles_per_call = 0;
  /// Gives the extra cycles for loading the tile from the output instead of clearing it.
  double cycles_per_resume = 0;
  /// Gives the cycles of a short call without its steps, at most those of a call of
  /// kShortCallSteps. If it is missing (older files, AMX), cycles_per_call is used.
  std::optional<double> cycles_per_short_call = {};

  bool operator==(const KernelRate&) const = default;
};

/// Holds the measured speed of the transforms of a Winograd tile, in cycles per tile of one vector
/// of channels. Sizes are given for the height, then for the width.
struct TransformRate {
  std::array<int, 2> outputs = {1, 1};  ///< Gives the rows and columns of outputs of a tile.
  std::array<int, 2> taps = {1, 1};
  /// Give the cycles of the input transform and of the output transform when the transformed tiles
  /// are in the first cache level.
  double in_first = 0, out_first = 0;
  /// Give the cycles of both transforms when the transformed tiles are in the second cache level.
  double in_second = 0, out_second = 0;

  bool operator==(const TransformRate&) const = default;
};

/// Holds the measured speed of microkernels that use other instructions than vfmadd.
struct ArithmeticRates {
  Arithmetic arithmetic = Arithmetic::dot_bytes;
  /// Counts the vectors of products that are added per cycle when no operand is loaded.
  double steps_per_cycle = 0;
  std::vector<KernelRate> kernels = {};

  bool operator==(const ArithmeticRates&) const = default;
};

/// Holds the factors by which cache lines take longer if only one or two follow one another in a
/// row, because hardware prefetchers start on longer rows: (M) of models/README.md. The lines come
/// from the second level, from a cache behind it, or from memory.
struct ShortRows {
  double from_second_level = 2, from_cache = 2.5, from_memory = 4;

  bool operator==(const ShortRows&) const = default;
};

/// Holds the additional cycles for reading a row of weights in place when the rows of a register
/// tile share so few sets of the first cache that they evict each other, or lie in many pages: (I)
/// of models/README.md. The second number of each pair is for schedules that prefetch rows.
struct RowsInPlace {
  /// Apply to rows whose addresses have only two values modulo the size of a way, such as rows half
  /// a way apart.
  double near = 1.5, near_prefetched = 1;
  /// Apply to rows whose addresses are equal modulo the size of a way, such as rows one way apart.
  double crowded = 1.5, crowded_prefetched = 1;
  double evicted = 14, evicted_prefetched = 6;  ///< Apply in addition if L2 evicts the rows too.
  /// Applies in addition to each page if a call reads short rows without prefetches from more pages
  /// than the first TLB holds.
  double in_many_pages = 2.5;

  bool operator==(const RowsInPlace&) const = default;
};

/// Holds costs that were measured, fitted or chosen on single machines; a calibration measures
/// only those of rows in place. docs/experiments.md tells how, and how much a factor of two in each
/// cost changes the choice of a schedule. A machine file may give other costs. The letters name
/// equations of models/README.md.
struct Overheads {
  /// Gives the cycles of one call of assembled code from the interpreted loops, (S). About half of
  /// the time goes to computing addresses and selecting the kernel variant, and the pipeline is
  /// empty during the other half.
  double dispatch_cycles = 180;
  /// Gives the cycles between two runs inside a call, which take new pointers and an indirect jump,
  /// (S). A run is a group of reduction steps whose data lie at equal distances.
  double run_cycles = 4;
  /// Give the cycles of packing, (R). `packed_row_cycles` is the time of a row of channels or
  /// outputs of any length, and of 64 contiguous pixels or weights. A row that is not contiguous
  /// takes at least as long, or packed_pixel_cycles per pixel, or packed_channel_cycles per channel
  /// or weight.
  double packed_row_cycles = 50, packed_pixel_cycles = 1, packed_channel_cycles = 3;
  /// Gives the cycles per element for square blocks that are transposed in registers, (R).
  double transposed_cycles = 0.8;
  RowsInPlace rows_in_place = {};
  /// Gives the cycles for each cache line that the mark `ahead` of a schedule prefetches, (Q). They
  /// count only if the link into the second-level cache brings at most a quarter of the third
  /// level: in full if computing takes no longer than this link, and not at all if it takes twice
  /// as long.
  double prefetch_cycles = 0.5;
  ShortRows short_rows = {};
  /// Gives the share of the shorter of two times that the longer one does not hide, (E).
  double exposed_share = 0.1;
  /// Gives the cycles in which a run checks its tensors and finds memory for its stages before the
  /// loops begin, (T).
  double start_cycles = 250;
  /// Gives the time for starting and joining an OpenMP team whose threads spin.
  double fork_seconds = 0.9e-6;

  bool operator==(const Overheads&) const = default;
};

/// Holds the numbers that a calibration measures in addition to those of caches and clock, and the
/// costs `overheads`, which are mostly not calibrated.
struct MeasuredRates {
  double overlap_exponent = 4;  ///< Gives rho of eq. (T); 1 means no overlap.
  /// Tells how many reduction steps early a tile of two vectors prefetches its weights from beyond
  /// the second level. Tiles of more or fewer vectors of channels prefetch as many bytes early, and
  /// tiles of one pixel prefetch none of these weights.
  int prefetch_steps = 0;
  /// Tells how many steps early a tile of two vectors prefetches weights that the second level
  /// holds. Files of older versions lack this number, and prefetch_steps is used instead.
  std::optional<int> near_prefetch_steps = {};
  /// Gives the rate at which non-temporal stores reach memory. With 0, they are as fast as stores
  /// through the last cache.
  double streamed_bytes_per_second = 0;
  /// Gives the joint rate at which all cores that share one last cache load from memory. With 0, or
  /// with a rate below that of one core, all cores together are no faster than one.
  double joint_bytes_per_second = 0;
  /// Lists the rates of register tiles for vfmadd, measured in f32; `others` has those of all other
  /// arithmetic. The model uses a bound of the throughput for arithmetic without measured rates.
  std::vector<KernelRate> kernels = {};
  /// Lists the rates of Winograd transforms. The model derives missing rates from the operations of
  /// the transforms.
  std::vector<TransformRate> transforms = {};
  std::vector<ArithmeticRates> others = {};
  Overheads overheads = {};

  bool operator==(const MeasuredRates&) const = default;
};

}  // namespace tileplan
