// SPDX-License-Identifier: Apache-2.0
// Computes what the report of one layer says; pages only lay it out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain.h"
#include "statistics.h"
#include "tileplan/plan.h"

namespace tileplan {

/// The best prediction for a machine that differs in one thing.
struct Sensitivity {
  std::string change = {};  ///< "half the L2"
  double seconds = 0;
  std::string bottleneck = {};  ///< of that prediction
};

/// Another library on the same layer, measured in adjacent pairs with the plan's first schedule.
struct PeerTimes {
  std::string name = {};  ///< "oneDNN 2.6.3"
  std::string layout = {}, implementation = {};
  std::optional<Measurement> ours = {}, peer = {};
  std::optional<MedianInterval> ratio = {};  ///< peer time / our time: above 1 we are faster
  std::string disturbed = {};                ///< why there is no ratio
};

struct LayerReport {
  Plan plan;
  Explanation explanation;               ///< explains the plan's first schedule
  std::vector<Sensitivity> sensitivity;  ///< L2, then each bandwidth from L1 on, then the cores
  std::optional<PeerTimes> peer = {};    ///< empty when no peer was measured
};

/// The program and the command that produced a page.
struct Reproduction {
  std::string version;
  std::string command;
};

/// Explains `plan`, and plans anew for the changed machines. Throws Error as `plan` does.
LayerReport layer_report(const Plan& plan);

/// Makes several reports at a time and returns them in the order of `plans`.
std::vector<LayerReport> layer_reports(const std::vector<Plan>& plans);

/// Return the measured time, or the predicted one when nothing was measured.
double seconds_of(const Candidate& candidate);
double seconds_of(const LayerReport& report);

/// Explains why shares of peak can pass 100 %.
constexpr const char* kPaddingNote =
    "Multiply-adds on padding count as work but are skipped, so shares can pass 100 %.";

/// Returns the speed of `seconds_of` over the peak of the threads used.
double share_of_peak(const LayerReport& report);

/// Returns `roofline_seconds` over `seconds_of`.
double share_of_roofline(const LayerReport& report);

/// Returns in words why `plan.candidates[rank]` stands behind the first, or why it is the first.
std::string reason_of_rank(const Plan& plan, std::size_t rank);

/// Returns the bytes of the three arrays: each crosses the link to memory at least once.
double compulsory_bytes(const LayerReport& report);

/// Returns the bytes that cross the link into cache `level` at least, without streamed outputs.
double compulsory_bytes(const LayerReport& report, std::size_t level);

}  // namespace tileplan
