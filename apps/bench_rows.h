// SPDX-License-Identifier: Apache-2.0
// This file measures layers with our kernels and with those of other libraries, for `bench` and
// `report --peer`.
#pragma once

#include "tileplan/bench.h"
#include "tileplan/network.h"

namespace tileplan {

/// Holds the comparison of one layer and the name under which the layer is printed.
struct NamedRow {
  std::string name = {};
  BenchRow row = {};
};

/// Returns the ratio that a direct kernel of ours would have if it ran at the roofline, or nothing
/// when the other library's direct kernel was not measured.
std::optional<double> ceiling_of(const BenchRow& row);

/// Returns the time at the roofline divided by the time of our direct kernel, or nothing when our
/// kernel is not direct or was not measured.
std::optional<double> roofline_share_of(const BenchRow& row);

/// Returns true when only direct kernels were allowed and a kernel of either library computed more
/// flop/s than the measured peak.
bool exceeds_peak(const BenchRow& row);

/// Measures `layers` in their order, unless the user requests a stop, and returns the rows of those
/// that were measured. If `is_shown`, prints a heading, and each row as soon as it is measured.
/// Throws Error if there is only one layer and bench_row() caught an Error for it.
std::vector<NamedRow> measure_rows(const std::vector<ListedLayer>& layers, const Machine& machine,
                                   const Options& options, const BenchOptions& bench,
                                   bool is_shown);

}  // namespace tileplan
