// SPDX-License-Identifier: Apache-2.0
// These functions write the JSON that commands print with --json, and the parts of it that plan
// files share.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "tileplan/explain.h"
#include "tileplan/plan.h"

namespace tileplan {

nlohmann::ordered_json certificate_json(const Certificate& certificate);

/// Adds the predictions of the stages and the relative error of a Winograd schedule, and nothing
/// for direct schedules.
void add_stages(const Prediction& prediction, nlohmann::ordered_json& document);

/// Adds the choice of the weights, the variant, the algorithm and the limit of its errors, each
/// unless it is the default. The limit is also added whenever the algorithm is.
void add_algorithm(const Options& options, nlohmann::ordered_json& document);

/// Returns numbers under the names of their tensors, e.g. {"A": 18432, "B": 3072, "C": 24576}.
nlohmann::ordered_json per_tensor(const LevelExplanation& level,
                                  const std::function<std::int64_t(const LevelTensor&)>& value);

/// Returns a candidate as a JSON object for printing. `rank` counts from 1. Values that were not
/// measured are null.
nlohmann::ordered_json printed_candidate(const Candidate& candidate, std::size_t rank);

/// Returns the document that `plan --json` prints. All times are seconds, except for `plan_ms`.
/// Keys of times end in `_s`, except that structs which plan files hold too have keys with the
/// names of their members, such as `seconds`, `exposed` and `optimum`. `waited_s` is
/// Plan::waiting_seconds, a part of `measure_s`.
nlohmann::ordered_json plan_document(const Plan& plan);

}  // namespace tileplan
