// SPDX-License-Identifier: Apache-2.0
// This file describes in sentences and in JSON which nodes of a network have plans.
#pragma once

#include <nlohmann/json.hpp>

#include "tileplan/network.h"

namespace tileplan {

/// Returns true when `kind` is an operator for convolutions or products, such as "Conv".
bool is_operation(const std::string& kind);

/// Returns a sentence such as "The plan covers 52 of 53 convolutions and products."
std::string covered_text(const NetworkPlan& network);

/// Returns a sentence with the numbers of nodes of each kind whose time and bytes are not counted,
/// or an empty text when there are none.
std::string not_counted_text(const NetworkPlan& network);

/// Returns a text such as "1 Gemm has no plan (fc; 4.10 Mflop, 8.20 MB): beta is not 1".
std::string dropped_text(const Unplanned& group);

/// Returns the message about a network in which no layer has a plan. It tells why the largest group
/// of convolutions or products has none or, if there is no such group, why the last group has none.
std::string nothing_to_plan_text(const std::vector<Unplanned>& groups);

/// Returns at most three names of nodes and the number of further nodes: "a, b, c and 5 more". The
/// text is empty when no node has a name.
std::string node_names(const Unplanned& group);

nlohmann::ordered_json unplanned_json(const std::vector<Unplanned>& groups);

}  // namespace tileplan
