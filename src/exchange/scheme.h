// SPDX-License-Identifier: Apache-2.0
// The scheme strings of the TTile papers and of XTC: loop specifiers, innermost first.
#pragma once

#include <optional>
#include <string>

#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Why no scheme says what `schedule` does: packing, parallel loops, whole-extent loops, dims
/// without a letter (batch, groups, depth, merged dims). Nothing when one does, but for its layouts
/// and hints.
std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem);

/// The papers' form: f c x y are output channel, input channel, output column and row, w h filter
/// column and row; i j k those of a product. Accumulators stay in registers over the reductions
/// directly around the register tile (Hoist_vars).
/// Requires: no reason against it. Example: [T(64,c), U(14,h), U(2,k), V(k)] is
/// "[V f; U (2, f); U (14, y); T (64, c); Hoist_vars [c]]".
std::string to_scheme(const Schedule& schedule, const Problem& problem);

/// The schedule that a scheme of either form means, in layouts nhwc (products: plain), without
/// hints. Hoisting is implied by the loops, and so is XTC's Seq. Throws Error with the specifier
/// and the rule. read_scheme(to_scheme(s, p), p) has the loops of s.
Schedule read_scheme(const std::string& text, const Problem& problem);

}  // namespace tileplan
