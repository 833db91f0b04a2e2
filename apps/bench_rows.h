// SPDX-License-Identifier: Apache-2.0
// This file measures layers with our kernels and with the peer library, for `bench` and `report
// --peer`.
#pragma once

#include "tileplan/bench.h"
#include "tileplan/network.h"

namespace tileplan {

/// Holds a layer under its name in the network, with its comparison.
struct NamedRow {
  std::string name = {};
  BenchRow row = {};
};

/// Returns the ratio that a direct kernel at the roofline would have, or nothing without a measured
/// direct kernel of the peer.
std::optional<double> ceiling_of(const BenchRow& row);

/// Returns the roofline's time divided by the time of our direct kernel, or nothing without one.
std::optional<double> roofline_share_of(const BenchRow& row);

/// Returns true when a direct kernel of either side exceeds the peak that was measured beside it.
bool exceeds_peak(const BenchRow& row);

/// Measures `layers` until the user requests a stop, and returns their rows. If `is_shown`, prints
/// each row as soon as it is measured.
std::vector<NamedRow> measure_rows(const std::vector<ListedLayer>& layers, const Machine& machine,
                                   const Options& options, const BenchOptions& bench,
                                   bool is_shown);

}  // namespace tileplan
