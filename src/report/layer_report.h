// SPDX-License-Identifier: Apache-2.0
// Computes what the report of one layer says; pages only lay it out.
#pragma once

#include "computation.h"
#include "tileplan/explain.h"
#include "tileplan/report.h"

namespace tileplan {

/// Holds the best prediction for a machine that differs in one thing, such as "half the L2".
struct Sensitivity {
  std::string change = {};
  double seconds = 0;
  std::string bottleneck = {};
};

struct LayerReport {
  Plan plan = {};
  Explanation explanation = {};  ///< It explains the plan's first schedule.
  Computation computation = {};  ///< It has the layouts of this schedule.
  std::vector<Sensitivity> sensitivity =
      {};                              ///< L2 comes first, then each bandwidth, then the cores.
  std::optional<PeerTimes> peer = {};  ///< It is empty when no peer was measured.
};

/// Is called with the plans that are done and their number, by one thread at a time.
using CountDone = std::function<void(int done, int all)>;

/// Explains `plan`, and plans anew for the changed machines. Throws Error as `plan` does.
LayerReport layer_report(const Plan& plan, const CountDone& progress = nullptr);

/// Makes several reports at a time and returns them in the order of `plans`.
std::vector<LayerReport> layer_reports(const std::vector<Plan>& plans,
                                       const CountDone& progress = nullptr);

/// Returns the measured time, or the predicted one when nothing was measured.
double seconds_of(const LayerReport& report);

/// Explains why shares of peak can pass 100 %.
constexpr const char* kPaddingNote =
    "Multiply-adds on padding count as work but are skipped, so shares can pass 100 %.";

/// Returns the speed that `seconds_of` means, divided by the peak of the threads used.
double share_of_peak(const LayerReport& report);

/// Returns `roofline_seconds` divided by `seconds_of`.
double share_of_roofline(const LayerReport& report);

/// Returns in words why `plan.candidates[rank]` is after the first, or why it is the first.
std::string reason_of_rank(const Plan& plan, std::size_t rank);

/// Returns the bytes of the three tensors: each crosses the link to memory at least once. With a
/// `level`, returns the least bytes that enter this cache, without streamed outputs.
double compulsory_bytes(const LayerReport& report, std::optional<std::size_t> level = {});

}  // namespace tileplan
