// SPDX-License-Identifier: Apache-2.0
// explain() shows what each cache holds and loads under one schedule, and where its time goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/movement.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"
#include "tileplan/text.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// One tensor at one cache level. The footprint is that of the tile in one cache. The volume and
/// the bytes are those of all caches of the level that the threads use.
struct LevelTensor {
  TensorMovement movement = {};
  /// Bytes of the volume, with outputs written back. Partial cache lines are not counted.
  std::int64_t bytes = 0;
};

/// Tells what one cache level holds and loads. Tiles, footprints and capacities are those of one
/// cache, in elements. Volumes start from cold caches; like the bound, and unlike the prediction's
/// link, they include padding and the weights that meet it.
struct LevelExplanation {
  std::string cache = {};             ///< "L1"
  std::vector<LoopExtent> tile = {};  ///< the box that the cache holds while it is reused
  std::vector<LevelTensor> tensors = {};
  std::int64_t required = 0;   ///< elements that the capacity rule needs for the tile, eq. (C)
  std::int64_t capacity = 0;   ///< usable elements
  std::string limit = {};      ///< why the cache holds no larger box; empty when it holds all
  bool holds_tile = true;      ///< false when not even the register tile fits
  bool holds_problem = false;  ///< the tensors fit, so that hot caches leave the link idle
  double slowness = 1;  ///< factor on the link's time for input cache lines that arrive one by one
  LowerBound bound = {};  ///< loads that any schedule needs at this capacity
  double bound_bytes =
      0;  ///< bytes that any schedule moves, with streaming stores if this one has them

  std::int64_t footprint() const;    ///< elements, all tensors together
  std::int64_t moved_bytes() const;  ///< all tensors together
  double distance() const;           ///< moved_bytes() divided by bound_bytes, at least 1
};

/// The calls of one microkernel, as one core that makes all of them would execute them.
struct MicrokernelCalls {
  std::int64_t pixels = 0, vectors = 0;  ///< the register tile
  double calls = 0;
  double steps = 0;  ///< mean reduction steps per call
  double cycles_per_step = 0, cycles_per_call = 0;
  double call_cycles = 0;      ///< cycles of all calls
  double run_cycles = 0;       ///< cycles between the runs of a reduction
  double dispatch_cycles = 0;  ///< cycles of starting the calls

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Seconds of transposing activations from and to nchw, which are part of the prediction.
struct RepackSeconds {
  double input = 0, output = 0;
};

struct Explanation {
  Problem problem = {};
  Machine machine = {};                       ///< the machine with the cores that were asked for
  Candidate candidate = {};                   ///< the schedule and its prediction
  std::vector<LevelExplanation> levels = {};  ///< innermost first, as in the prediction
  std::vector<MicrokernelCalls> compute = {};
  RepackSeconds repack = {};
  double peak_seconds = 0;  ///< time of all multiply-adds at the peak of all cores
  double stored_share = 1;  ///< share of the multiply-adds that do not read padding
  std::vector<std::string> rejected =
      {};  ///< reasons against the schedule; empty when it may be chosen
};

/// Returns the prediction of `schedule` with `options.threads` and `options.capacity`, and its
/// parts. A schedule that a cache or the registers cannot hold, or that compile() refuses, is
/// explained as well, and `rejected` says why it would not be chosen. Throws Error when the
/// products of the schedule's loops differ from the extents of `problem`, when a layout does not
/// exist, or when the machine lacks the threads.
Explanation explain(const Problem& problem, const Machine& machine, const Schedule& schedule,
                    const Options& options = {});

/// Returns the tables that `tileplan explain` prints. If `style` has a width, each cache level also
/// has a bar of its bytes against their lower bound, which is at most so wide.
std::string to_text(const Explanation& explanation, TextStyle style = {});

/// Returns the JSON document that `tileplan explain --json` prints.
std::string to_json(const Explanation& explanation);

}  // namespace tileplan
