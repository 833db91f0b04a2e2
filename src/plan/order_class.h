// SPDX-License-Identifier: Apache-2.0
// This file names the class of a schedule's loop order (orders.h) around the tile of each cache,
// and prints it with the nearest rival.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cost.h"
#include "orders.h"
#include "tileplan/explain.h"

namespace tileplan {

/// Returns the tile that each cache of `machine` keeps under `schedule`, innermost cache first.
/// Requires: `computation` and `machine` are those of the schedule's loops.
std::vector<Tile> cached_tiles(const Computation& computation, const Schedule& schedule,
                               const Machine& machine, const PredictionRules& rules);

/// Returns the names of the classes around `tiles`, innermost cache first, as in "(c)/kh/-". A
/// dimension in parentheses is the innermost of an order that no class has, and "-" stands for no
/// loops. Requires: `tiles` are the cached_tiles() of the schedule.
std::string order_class(const Computation& computation, const Schedule& schedule,
                        const Machine& machine, const OrderClasses& classes,
                        const std::vector<Tile>& tiles);

/// Returns a line with the order class of the schedule, and a line with the nearest rival if it is
/// known. Returns empty text for Winograd schedules and for machines without caches.
std::string class_text(const Explanation& explanation);

/// Returns the rival as an object, or null.
nlohmann::ordered_json rival_json(const std::optional<Rival>& rival);

}  // namespace tileplan
