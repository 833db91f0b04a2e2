// SPDX-License-Identifier: Apache-2.0
// Each foreign format has its writer, and a function that says what the format cannot hold.
#pragma once

#include "computation.h"
#include "tileplan/candidates.h"

namespace tileplan {

/// Returns one object that data/candidates.schema.json specifies, without a line break.
std::string json_line(const ListedCandidate& listed, const CandidateList& list);

/// Returns the object of `json_line` with `computation`, which is that of the schedules, and with
/// `loops`, outermost first.
std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list,
                              const Computation& computation);

/// Returns why no scheme says what `schedule` does, or nothing when one does.
std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem);

/// Returns the papers' form: [T(64,c), U(14,h), U(2,k), V(k)] is "[V f; U (2, f); U (14, y); T (64,
/// c); Hoist_vars [c]]". Requires that why_no_scheme gives no reason.
std::string to_scheme(const Schedule& schedule, const Problem& problem);

/// Returns why linalg has no operation for `computation`, or why transforms cannot say `schedule`.
std::optional<std::string> why_no_mlir(const Schedule& schedule, const Computation& computation,
                                       int lanes);

/// Returns a module with the operation on tensors and the transforms that tile, unroll and
/// vectorise it. Requires that why_no_mlir gives no reason.
std::string mlir_module(const Schedule& schedule, const Computation& computation, int lanes);

/// Returns a header with the algorithm, one function per schedule and a list of them. Arguments are
/// innermost first, channels before pixels. Requires that why_no_splits gives no reason.
std::string halide_header(const std::vector<Schedule>& schedules, const Computation& computation,
                          int lanes);

}  // namespace tileplan
