// SPDX-License-Identifier: Apache-2.0
// This file describes the steps, the conversions and the memory of a run in the report of a
// network.
#pragma once

#include <nlohmann/json.hpp>

#include "document.h"
#include "network_report.h"

namespace tileplan {

/// Returns the sections about a run, or none for a list of layers.
std::vector<Section> run_sections(const NetworkReport& report);

/// Returns the fields `steps`, `choices` and `arena` of the JSON report. A list of layers has none.
nlohmann::ordered_json run_json(const NetworkReport& report);

/// Returns the bytes of the arena that hold tensors in each step.
std::vector<double> bytes_in_use(const NetworkPlan& network);

}  // namespace tileplan
