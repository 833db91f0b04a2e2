// SPDX-License-Identifier: Apache-2.0
// This file computes the numbers in the report of one layer. Pages only format them.
#pragma once

#include "computation.h"
#include "run_all.h"
#include "tileplan/explain.h"
#include "tileplan/report.h"

namespace tileplan {

/// Holds the best prediction for a machine with one change, such as "half the L2".
struct Sensitivity {
  std::string change = {};
  double seconds = 0;
  std::string bottleneck = {};
};

struct LayerReport {
  Plan plan = {};
  Explanation explanation = {};  ///< Explains the plan's first schedule.
  Computation computation = {};  ///< Describes the loops of the plan's first schedule.
  /// The first entry is for half the L2, unless there is no L2 or half its size is not valid. The
  /// next ones are for twice the bandwidth into each cache, and the last one is for one more core.
  std::vector<Sensitivity> sensitivity = {};
  std::optional<PeerTimes> peer = {};  ///< This is empty when no peer was measured.
};

/// Explains `plan`, and makes plans for changed machines. Throws Error as plan() does.
LayerReport layer_report(const Plan& plan, const CountDone& progress = nullptr);

/// Makes reports in parallel and returns them in the order of `plans`. Throws Error as
/// layer_report() does.
std::vector<LayerReport> layer_reports(const std::vector<Plan>& plans,
                                       const CountDone& progress = nullptr);

/// Returns the measured time of the first candidate, or the predicted time if it was not measured.
double seconds_of(const LayerReport& report);

constexpr const char* kAssumedNote =
    "The machine is not calibrated, so its peak and its rates are assumed; `tileplan calibrate` "
    "measures them.";
constexpr const char* kPaddingNote =
    "Multiply-adds on padding count as work but are skipped, so shares can pass 100 %.";

constexpr const char* kWinogradNote =
    "The multiply-adds of the direct convolution count as work; a Winograd convolution needs "
    "fewer, so "
    "shares can pass 100 %.";

inline bool is_winograd(const LayerReport& report) {
  return report.plan.candidates.front().schedule.winograd.has_value();
}

/// Returns the flop/s at seconds_of(report), divided by the peak of the threads used, at the clock
/// that peak.h describes.
double share_of_peak(const LayerReport& report);

/// Returns the time by the roofline model, divided by seconds_of(report). For a Winograd
/// convolution, the roofline is that of the loops over its products alone.
double share_of_roofline(const LayerReport& report);

/// Returns the reason why `plan.candidates[rank]` comes after the first candidate. For rank 0,
/// returns the reason why it is first. The reason for the order of ties holds only if decide()
/// (rank.h) chose the first candidate. In a network, the choice of layouts can move another one
/// there.
std::string reason_of_rank(const Plan& plan, std::size_t rank);

/// Returns the bytes of the three tensors, each of which is transferred from or to memory at least
/// once. Padding of the input counts too. With a `level`, returns the least number of bytes on the
/// link into this cache, where streamed outputs count only on the link to memory. For a Winograd
/// convolution, returns the lower bound of the loads of the whole problem (LowerBound::bytes),
/// whatever the level.
double compulsory_bytes(const LayerReport& report, std::optional<std::size_t> level = {});

}  // namespace tileplan
