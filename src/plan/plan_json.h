// SPDX-License-Identifier: Apache-2.0
// These functions write the JSON that commands print with --json, and the parts of it that plan
// files share.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// These functions write every field under its name in the public headers, for plan files too.
nlohmann::ordered_json certificate_json(const Certificate& certificate);
nlohmann::ordered_json rejected_json(const std::vector<Rejected>& rejected);
nlohmann::ordered_json unhidden_json(const Unhidden& unhidden);
nlohmann::ordered_json levels_json(const std::vector<LevelPrediction>& levels);

/// These functions add fields that only Winograd schedules have, or only plans of other algorithms
/// than `direct`, so that other documents stay as they are.
void add_stages(const Prediction& prediction, nlohmann::ordered_json& document);
void add_algorithm(const Options& options, nlohmann::ordered_json& document);

/// Returns a candidate as documents print it. Values that were not measured are null.
nlohmann::ordered_json printed_candidate(const Candidate& candidate, std::size_t rank);

/// Returns the document that `plan --json` prints. `waited_s` is the part of `measure_s` that was
/// lost to waits and disturbance by other programs.
nlohmann::ordered_json plan_document(const Plan& plan);

}  // namespace tileplan
