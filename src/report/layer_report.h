// SPDX-License-Identifier: Apache-2.0
// What a report says of one layer, as numbers; pages only lay it out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain.h"
#include "statistics.h"
#include "tileplan/plan.h"

namespace tileplan {

/// The smallest prediction on a machine that differs in one thing, and what limits that schedule.
struct Sensitivity {
  std::string change = {};  ///< "half the L2"
  double seconds = 0;
  std::string bottleneck = {};
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
  Explanation explanation;               ///< of the plan's first schedule
  std::vector<Sensitivity> sensitivity;  ///< L2, then the bandwidths inwards out, then the cores
  std::optional<PeerTimes> peer = {};    ///< nothing: no peer was measured
};

/// What produced a page.
struct Provenance {
  std::string version;  ///< of this program
  std::string command;  ///< that reproduces the page
};

/// The report of `plan`, planned anew for machines with half the second-level cache, twice the
/// bandwidth of each link in turn, and one more core. Measures nothing. Throws Error as `plan`.
LayerReport layer_report(const Plan& plan);

/// That of each plan, in their order, several at a time on the cores that this process may use.
std::vector<LayerReport> layer_reports(const std::vector<Plan>& plans);

/// Measured if it was, else predicted.
double seconds_of(const Candidate& candidate);
double seconds_of(const LayerReport& report);

/// Why shares of peak can pass 100 %.
constexpr const char* kPaddingNote =
    "Multiply-adds on padding count as work but are skipped, so shares can pass 100 %.";

/// Share of the peak of the threads used, of `seconds_of`.
double share_of_peak(const LayerReport& report);

/// Share of what the roofline allows, of `seconds_of`: `roofline_seconds` over them.
double share_of_roofline(const LayerReport& report);

/// Why `plan.candidates[rank]` stands behind the first, or why that one is first, in words.
std::string reason_of_rank(const Plan& plan, std::size_t rank);

/// Bytes of the three arrays, each once: what crosses the link to memory at least.
double compulsory_bytes(const LayerReport& report);

/// The same of the link that fills cache `level`: streamed outputs cross that to memory alone.
double compulsory_bytes(const LayerReport& report, std::size_t level);

}  // namespace tileplan
