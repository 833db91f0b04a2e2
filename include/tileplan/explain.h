// SPDX-License-Identifier: Apache-2.0
// explain() shows what each cache holds and loads under one schedule, and which parts take time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/gemm_variant.h"
#include "tileplan/machine.h"
#include "tileplan/movement.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"
#include "tileplan/rival.h"
#include "tileplan/text.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Describes one tensor at one cache level. The footprint is that of one tile in one cache. The
/// volume and the bytes are sums over all caches of this level that the threads use.
struct LevelTensor {
  TensorMovement movement = {};
  /// Counts the bytes of the volume, including written outputs. A cache line counts only the
  /// elements that are used.
  std::int64_t bytes = 0;
};

/// Describes the contents and the loads of one cache level. Tiles, footprints and capacities are
/// those of one cache, in elements. Volumes and bounds assume cold caches. Unlike
/// Prediction::levels, both count padding and the weights that are multiplied with it.
struct LevelExplanation {
  std::string cache = {};  ///< Names the cache, such as "L1".
  /// Holds the largest box of iterations whose data the cache keeps while they are reused.
  std::vector<LoopExtent> tile = {};
  /// Counts the loops of the schedule outside the tile. If these contain a list of blocks (L in
  /// schedules), the tile is the one of the part that loads most bytes.
  std::size_t loops_outside = 0;
  std::vector<LevelTensor> tensors = {};
  /// Counts the elements that must fit for reuse, as `capacity` does: models/README.md eq. (C).
  std::int64_t required = 0;
  std::int64_t capacity = 0;  ///< Gives the usable capacity in elements of the smallest type.
  /// Gives the reason why no larger box fits, and is empty if the whole problem fits.
  std::string limit = {};
  bool holds_tile = true;  ///< Tells whether the cache holds at least the register tile.
  /// Tells whether the cache holds all tensors, so that no loads occur when caches are hot.
  bool holds_problem = false;
  /// Gives the factor by which input cache lines take longer if they come one or two in a row.
  double slowness = 1;
  /// Bounds the loads of all schedules of the algorithm from below, for all caches of the level.
  LowerBound least_loads = {};
  /// Is a lower bound on the bytes that every schedule of the algorithm moves. Streaming stores are
  /// assumed if this schedule has any.
  double bound_bytes = 0;

  /// Returns the number of elements in the footprints of all tensors.
  std::int64_t footprint() const;
  /// Returns the sum of the tensors' bytes.
  std::int64_t moved_bytes() const;
  double distance() const;  ///< Returns moved_bytes() divided by bound_bytes.
};

/// Describes all calls of one microkernel, as if one core made all of them.
struct MicrokernelCalls {
  /// Give the register tile, which has pixels x vectors registers of sums.
  std::int64_t pixels = 0, vectors = 0;
  double calls = 0;
  double steps = 0;  ///< Gives the mean number of reduction steps per call.
  /// A call of n steps, where n is about `steps`, takes cycles_per_call + n * cycles_per_step
  /// cycles. All calls together take `call_cycles`.
  double cycles_per_step = 0, cycles_per_call = 0, call_cycles = 0;
  /// Counts the cycles in which calls change their pointers between stretches, which are groups of
  /// reduction steps whose data lie at equal distances.
  double run_cycles = 0;
  /// Counts the cycles for computing addresses and jumping to the microkernels.
  double dispatch_cycles = 0;

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Describes a buffer of a Winograd schedule: V, the transformed input tiles, or M, the products.
struct WinogradBox {
  std::string name = {};
  /// Count the tiles and the channels in the largest box.
  std::int64_t tiles = 0, channels = 0;
  std::int64_t bytes = 0;  ///< Gives the bytes of the box of one core.
  /// Counts the bytes of the box that hold no data. They fill up vectors of channels, and shift the
  /// beginnings of rows and products against each other, so that these use different cache sets.
  std::int64_t padding_bytes = 0;
  /// Counts the transforms of all cores together. Each transforms one tile of one vector of
  /// channels.
  double transforms = 0;
  double cycles = 0;                     ///< Gives the cycles of one transform.
  std::vector<std::string> caches = {};  ///< Names the caches that keep the box while it is in use.
};

/// Describes a block of A, B or C of a matrix product, and its share of the L1, L2 or L3.
struct GemmOccupancy {
  std::string cache = {};    ///< Names the cache, such as "L1".
  std::string operand = {};  ///< Names the operand: "A", "B" or "C".
  std::int64_t rows = 0, columns = 0;
  std::int64_t bytes = 0;
  /// Gives the bytes of the block divided by the whole capacity of the cache, not by the usable
  /// one (CacheLevel::usable). The share exceeds 1 if the block does not fit.
  double share = 0;
  /// Gives the largest share that the formula of Low et al. (2016) allows, or 0 if it sets none.
  double most_share = 0;
};

/// Holds the variant of gemm_variant.h that a gemm schedule belongs to, its block sizes, and those
/// of Low et al. (2016).
struct GemmExplanation {
  /// Names the variant that has the loops of the schedule, if there is one.
  std::optional<GemmVariant> variant = {};
  std::string why_none = {};  ///< Gives the reason why the schedule has no variant, or is empty.
  GemmBlocks blocks = {};     ///< Holds the block sizes of the schedule.
  /// Holds the block sizes that the formula of Low et al. gives for the same register tile.
  std::optional<GemmBlocks> closed_form = {};
  std::vector<GemmOccupancy> occupancy = {};  ///< Describes the blocks of the schedule.
  std::vector<GemmOccupancy> closed_form_occupancy = {};
};

/// Holds the predicted seconds for copying the activations before and after the loops.
/// Prediction::seconds includes both.
struct RepackSeconds {
  double input = 0, output = 0;
};

/// Describes an operand that a kernel copies to contiguous buffers (boxes) in each run. The
/// prediction includes the time of these copies.
struct PackedOperand {
  std::string tensor;   ///< Names the tensor as the problem does.
  std::string loop;     ///< Names the loop inside which each box is filled, such as "T(8,k)".
  double elements = 0;  ///< Counts the elements of all boxes together.
  /// Counts the bytes that copying moves over the link into the first cache.
  double bytes_in_l1 = 0;
};

struct Explanation {
  Problem problem = {};
  Machine machine = {};      ///< Has as many cores as `options.threads`.
  Candidate candidate = {};  ///< Holds the schedule and its prediction.
  /// Describes the cache levels, innermost first. The levels of a Winograd convolution describe the
  /// tensors V, U and M of its products; Prediction::stages has the traffic of its transforms.
  std::vector<LevelExplanation> levels = {};
  /// Describes the buffers of a Winograd convolution, and is empty for other schedules.
  std::vector<WinogradBox> boxes = {};
  std::vector<MicrokernelCalls> compute = {};
  RepackSeconds repack = {};
  /// Describes the operands packed in each run; Winograd convolutions have `boxes` instead.
  std::vector<PackedOperand> packed = {};
  std::optional<GemmExplanation> gemm = {};  ///< Is present for matrix products only.
  OrderExplanation order = {};
  Regime regime = Regime::hot;  ///< Names the state of the caches before a run.
  /// Gives the time of all multiply-adds at the peak of all cores.
  double peak_seconds = 0;
  /// Gives the number of stored input elements divided by that with padding, or 1 for Winograd.
  double stored_share = 1;
  /// Lists the reasons why plan() would never choose the schedule; there may be none.
  std::vector<std::string> rejected = {};
};

/// Returns a line with the predicted time for each copy that is made, or an empty text if none is.
std::string repack_text(const RepackSeconds& repack);

/// Returns a line that explains how kernels of `problem` can exceed 100 % of peak: they skip
/// padding, which counts as work, or the clock was faster than the one of the peak. The line names
/// both reasons if only some kernels for the element types skip padding.
std::string above_peak_text(const Problem& problem);

/// Returns a line that tells what shares of peak count if a kernel may be a Winograd convolution.
std::string winograd_peak_text();

struct Plan;

/// Returns lines with the best predictions and lower bounds of the chosen algorithm, of the direct
/// convolution and of the two fastest, or of all searched ones with Options::certify_full, and with
/// the number of all others. Returns empty text if no Winograd convolution was considered.
std::string algorithms_text(const Plan& plan);

/// Returns the prediction of `schedule` for the threads, the capacity rule and the regime of
/// `options`, and its parts. A schedule that a cache or the registers cannot hold, or that the
/// assembler refuses, is explained as well; Explanation::rejected then holds the reasons, but of
/// Winograd schedules, only the registers are checked. Throws Error when the problem or an option
/// breaks a rule, the machine lacks the threads or the ISA, the sizes of the loops do not multiply
/// to the extents of `problem`, or a layout does not exist.
Explanation explain(const Problem& problem, const Machine& machine, const Schedule& schedule,
                    const Options& options = {});

/// Returns the tables that `tileplan explain` prints. If `style` has a width that suffices, each
/// cache level also has a bar that compares its bytes with their lower bound.
std::string to_text(const Explanation& explanation, TextStyle style = {});

/// Returns the JSON document that `tileplan explain --json` prints.
std::string to_json(const Explanation& explanation);

}  // namespace tileplan
