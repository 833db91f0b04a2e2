// SPDX-License-Identifier: Apache-2.0
// `bench` and `report --peer` measure layers with the peer and print a row for each.
#pragma once

#include "tileplan/bench.h"
#include "tileplan/network.h"

namespace tileplan {

/// Holds a layer, as the network names it, with its comparison.
struct NamedRow {
  std::string name = {};
  BenchRow row = {};
};

/// Returns the ratio that a direct kernel at the roofline would have, or nothing without a measured
/// direct kernel of the peer.
std::optional<double> ceiling_of(const BenchRow& row);

/// Returns the roofline's time divided by the time of our direct kernel, or nothing without one.
std::optional<double> roofline_share_of(const BenchRow& row);

/// Returns the rows of `layers` up to a stop. If `is_shown`, they are a table on stdout, of which
/// each row is printed as soon as it is measured.
std::vector<NamedRow> measure_rows(const std::vector<ListedLayer>& layers, const Machine& machine,
                                   const Options& options, const BenchOptions& bench,
                                   bool is_shown);

}  // namespace tileplan
