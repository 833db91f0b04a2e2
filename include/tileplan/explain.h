// SPDX-License-Identifier: Apache-2.0
// explain() shows what each cache holds and loads under one schedule, and which parts take time.
#pragma once

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
#include "tileplan/text.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Describes one tensor at one cache level. The footprint is that of the tile in one cache. The
/// volume and the bytes are sums over all caches of this level that the threads use.
struct LevelTensor {
  TensorMovement movement = {};
  /// These are the bytes of the volume, including written outputs. Each element counts, not its
  /// whole cache line.
  std::int64_t bytes = 0;
};

/// Describes the contents and the loads of one cache level. Tiles, footprints and capacities are
/// those of one cache, in elements. Volumes and bounds start from cold caches. Unlike
/// Prediction::levels, they count padding and the weights that are multiplied with it.
struct LevelExplanation {
  std::string cache = {};  ///< An example is "L1".
  /// The cache holds the data of this box of iterations while the data is reused.
  std::vector<LoopExtent> tile = {};
  std::vector<LevelTensor> tensors = {};
  std::int64_t required = 0;  ///< The capacity rule needs this many elements for the tile, eq. (C).
  std::int64_t capacity = 0;  ///< The capacity is in elements.
  /// The text gives the reason why no larger box fits, and is empty if the whole problem fits.
  std::string limit = {};
  bool holds_tile = true;      ///< This is false when not even the register tile fits.
  bool holds_problem = false;  ///< If true, all tensors fit, so hot caches load nothing.
  /// Input cache lines that arrive one by one lengthen the link's time by this factor.
  double slowness = 1;
  LowerBound least_loads = {};  ///< Every schedule loads at least this much at this capacity.
  /// Every schedule moves at least these bytes, with streaming stores if this schedule has any.
  double bound_bytes = 0;

  /// Returns the number of elements in the footprints of all tensors.
  std::int64_t footprint() const;
  std::int64_t moved_bytes() const;  ///< Returns the bytes of all tensors.
  double distance() const;  ///< Returns moved_bytes() divided by bound_bytes, which is at least 1.
};

/// Counts the calls of one microkernel as if one core made all of them.
struct MicrokernelCalls {
  std::int64_t pixels = 0, vectors = 0;  ///< The register tile has these sizes.
  double calls = 0;
  double steps = 0;  ///< A call has this many reduction steps on average.
  double cycles_per_step = 0, cycles_per_call = 0;
  double call_cycles = 0;
  /// Changing pointers within a call, between runs of contiguous reduction steps, takes these
  /// cycles.
  double run_cycles = 0;
  /// Computing addresses and jumping to the microkernels takes these cycles.
  double dispatch_cycles = 0;

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Describes one of the buffers of a Winograd schedule, V or M.
struct WinogradBox {
  std::string name = {};
  /// The largest box has these numbers of tiles and channels.
  std::int64_t tiles = 0, channels = 0;
  std::int64_t bytes = 0;  ///< The box of one core has this size.
  /// So many of these bytes fill up vectors of channels and keep planes apart.
  std::int64_t padding_bytes = 0;
  /// All cores together make these transforms, each of one tile and one vector of channels.
  double transforms = 0;
  double cycles = 0;                     ///< One transform takes this time.
  std::vector<std::string> caches = {};  ///< These caches keep the box while it is in use.
};

/// Describes one block of a packed matrix product in the cache that keeps it.
struct GemmOccupancy {
  std::string cache = {};    ///< An example is "L1".
  std::string operand = {};  ///< The text is "A", "B" or "C".
  std::int64_t rows = 0, columns = 0;
  std::int64_t bytes = 0;
  double share = 0;       ///< The block takes this share of the cache that one core uses.
  double most_share = 0;  ///< The paper's formula gives the operand at most this share.
};

/// Compares a gemm schedule with the six variants and with the paper's block sizes.
struct GemmExplanation {
  /// The schedule has the loops of this variant, or of none.
  std::optional<GemmVariant> variant = {};
  std::string why_none = {};  ///< This text gives the reason if the schedule has no variant.
  GemmBlocks blocks = {};     ///< The loops of the schedule have these sizes.
  /// The closed form of the paper gives these sizes for the same register tile.
  std::optional<GemmBlocks> closed_form = {};
  std::vector<GemmOccupancy> occupancy = {};  ///< These are the blocks of the schedule.
  std::vector<GemmOccupancy> closed_form_occupancy = {};
};

/// Holds the seconds for transposing activations from and to nchw, which the prediction includes.
struct RepackSeconds {
  double input = 0, output = 0;
};

/// Describes an operand that a kernel copies to boxes in each run. The prediction includes the
/// time.
struct PackedOperand {
  std::string tensor;      ///< This is the tensor's name in the problem.
  std::string loop;        ///< The boxes are filled inside this loop, e.g. "T(8,k)".
  double elements = 0;     ///< All boxes together have this many elements.
  double bytes_in_l1 = 0;  ///< The copies move these bytes over the link into the first cache.
};

struct Explanation {
  Problem problem = {};
  Machine machine = {};      ///< The machine has as many cores as `options.threads`.
  Candidate candidate = {};  ///< The candidate holds the schedule and its prediction.
  /// The innermost cache is first. The levels of a Winograd convolution describe its products V, U
  /// and M; Prediction::stages has the traffic of its transforms.
  std::vector<LevelExplanation> levels = {};
  std::vector<WinogradBox> boxes = {};  ///< Only Winograd convolutions have boxes.
  std::vector<MicrokernelCalls> compute = {};
  RepackSeconds repack = {};
  std::vector<PackedOperand> packed = {};    ///< Winograd convolutions have `boxes` instead.
  std::optional<GemmExplanation> gemm = {};  ///< Only matrix products have this part.
  Regime regime = Regime::hot;               ///< The caches are in this state before a run.
  double peak_seconds = 0;  ///< All multiply-adds would take this time at the peak of all cores.
  /// This is the number of stored input elements divided by the number with padding.
  double stored_share = 1;
  /// These reasons exclude the schedule. The list is empty when plan() may choose it.
  std::vector<std::string> rejected = {};
};

/// Returns a line that tells how kernels of `problem` can exceed 100 % of peak.
std::string above_peak_text(const Problem& problem);

/// Returns a line that tells what shares of peak count if a kernel may be a Winograd convolution.
std::string winograd_peak_text();

struct Plan;

/// Returns a line for the algorithm of the first candidate of `plan`, for the two with the best
/// predictions and for direct, and with Options::certify_full for all that were searched. Returns
/// nothing if no Winograd convolution was considered.
std::string algorithms_text(const Plan& plan);

/// Returns the prediction of `schedule` for the threads, the capacity rule and the regime of
/// `options`, and its parts. A schedule that a cache or the registers cannot hold, or that
/// compile() refuses, is explained as well; Explanation::rejected then holds the reasons. Throws
/// Error when the sizes of the schedule's loops do not multiply to the extents of `problem`, when a
/// layout does not exist, or when the machine lacks the threads.
Explanation explain(const Problem& problem, const Machine& machine, const Schedule& schedule,
                    const Options& options = {});

/// Returns the tables that `tileplan explain` prints. If `style` has a width, each cache level also
/// has a bar, at most that wide, that compares its bytes with their lower bound.
std::string to_text(const Explanation& explanation, TextStyle style = {});

/// Returns the JSON document that `tileplan explain --json` prints.
std::string to_json(const Explanation& explanation);

}  // namespace tileplan
