// SPDX-License-Identifier: Apache-2.0
// This file describes the steps, the conversions and the memory of a run in the report of a
// network.
#pragma once

#include <nlohmann/json.hpp>

#include "document.h"
#include "network_report.h"

namespace tileplan {

/// Returns the sections about one run of a network, or none if the plan has no steps, as for a list
/// of layers.
std::vector<Section> run_sections(const NetworkReport& report);

/// Returns an object with the fields `choices`, `measured_s`, `steps` and `arena` for the JSON
/// report. If the plan has no steps, the object has no fields.
nlohmann::ordered_json run_json(const NetworkReport& report);

/// Returns, for each step, how many bytes of the arena are in use.
std::vector<double> bytes_in_use(const NetworkPlan& network);

}  // namespace tileplan
