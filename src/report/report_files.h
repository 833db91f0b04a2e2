// SPDX-License-Identifier: Apache-2.0
// This file writes reports as JSON and CSV, with the numbers of the pages.
#pragma once

#include "network_report.h"

namespace tileplan {

std::string layer_json(const LayerReport& report);
std::string network_json(const NetworkReport& report);

/// Returns a heading and one row per cache and tensor.
std::string layer_csv(const LayerReport& report);

/// Returns a heading and one row per layer.
std::string network_csv(const NetworkReport& report);

}  // namespace tileplan
