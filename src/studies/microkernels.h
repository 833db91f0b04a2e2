// SPDX-License-Identifier: Apache-2.0
// The study `microkernels`: which share of peak each register tile reaches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study_table.h"
#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

struct MicrokernelsOptions {
  std::vector<RegisterTile> tiles = {};  ///< empty: all that fit the register file
  /// Of microkernels.csv, microkernels.svg and summary.txt; made when it is missing.
  std::string folder;
  int samples = 5;              ///< per visit; two visits must agree, as in `calibrate`
  double budget_seconds = 150;  ///< for all tiles; a quiet machine needs a few
  bool resume = false;          ///< go on with the microkernels.csv that is there
  std::string version = {};
};

/// Share of the multiply-adds of `unit` that `rate` reaches in a call of `steps` reduction steps.
/// Example: 14 x 2 on two units, 14 cycles per step and 32 per call: 512 * 14 / (512 * 14 + 32) =
/// 0.9956.
double share_of_peak(const KernelRate& rate, const VectorUnit& unit, int steps);

/// The rows of the study as a heat map: pixels to the right, vectors upwards, unknown tiles left
/// out. Requires: rows not empty.
std::string microkernels_svg(const std::vector<StudyRow>& rows, const std::string& title);

/// Each tile as `calibrate` measures it: its loop over 8 unrolled steps, weights and pixels in the
/// first-level cache, two lengths fitted by a line; the share of peak is that of a call of 512
/// steps (the TTile paper's T(512,c)), once measured and once by the throughput bound. Tiles that
/// were never undisturbed are counted. Ends early, with what there is, when request_stop() was
/// called. Requires: `machine` is this host. Throws Error when an option makes no sense, and as
/// StudyTable does.
void study_microkernels(const Machine& machine, const MicrokernelsOptions& options,
                        const std::function<void(const std::string&)>& say);

}  // namespace tileplan
