// SPDX-License-Identifier: Apache-2.0
// Writes the scheme strings of the TTile papers, which list loops innermost first.
#pragma once

#include <optional>
#include <string>

#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns why no scheme says what `schedule` does: packing, parallel loops, whole-extent loops, or
/// dims without a letter (batch, groups, depth, merged dims). Returns nothing when one does;
/// schemes never say layouts and hints.
std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem);

/// Returns the papers' form. Its letters f c x y are output channel, input channel, output column
/// and row, w h filter column and row, and i j k the dims of a product. Accumulators stay in
/// registers over the reductions directly around the register tile (Hoist_vars). Requires that
/// there is no reason against it. Example: [T(64,c), U(14,h), U(2,k), V(k)] is
/// "[V f; U (2, f); U (14, y); T (64, c); Hoist_vars [c]]".
std::string to_scheme(const Schedule& schedule, const Problem& problem);

}  // namespace tileplan
