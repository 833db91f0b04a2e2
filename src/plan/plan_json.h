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

/// Returns the document of a candidate, in which null stands for what was not measured.
nlohmann::ordered_json candidate_json(const Candidate& candidate, std::size_t rank);

/// Returns the document of `plan --json`. `waited_s` is the part of `measure_s` that a disturbed
/// machine cost.
nlohmann::ordered_json plan_document(const Plan& plan);

}  // namespace tileplan
