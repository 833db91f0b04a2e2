// SPDX-License-Identifier: Apache-2.0
// This file writes parts of a plan as JSON for files and documents.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// Each function writes every field under its name from the public headers.
nlohmann::ordered_json certificate_json(const Certificate& certificate);
nlohmann::ordered_json rejected_json(const std::vector<Rejected>& rejected);
nlohmann::ordered_json unhidden_json(const Unhidden& unhidden);
nlohmann::ordered_json levels_json(const std::vector<LevelPrediction>& levels);

}  // namespace tileplan
