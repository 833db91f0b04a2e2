// SPDX-License-Identifier: Apache-2.0
// Declares, for each foreign format, a writer and a function that tells what it cannot express.
#pragma once

#include "computation.h"
#include "tileplan/candidates.h"

namespace tileplan {

/// Returns one JSON object as data/candidates.schema.json specifies it, without a line break.
std::string json_line(const ListedCandidate& listed, const CandidateList& list);

/// Returns the object of json_line() with the computation and, outermost first, the loops.
std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list,
                              const Computation& computation);

/// Returns the reason why the papers' notation (a scheme) cannot express `schedule`, or nothing.
std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem);

/// Returns `schedule` in the papers' notation: [T(64,c), U(14,h), U(2,k), V(k)] becomes "[V f; U
/// (2, f); U (14, y); T (64, c); Hoist_vars [c]]". Requires: why_no_scheme() returns nothing.
std::string to_scheme(const Schedule& schedule, const Problem& problem);

/// Returns the reason why MLIR's linalg or its transforms cannot express `schedule`, or nothing.
std::optional<std::string> why_no_mlir(const Schedule& schedule, const Computation& computation,
                                       int lanes);

/// Returns an MLIR module with the operation on tensors, and the transforms that tile, unroll and
/// vectorise it. Requires: why_no_mlir() returns nothing.
std::string mlir_module(const Schedule& schedule, const Computation& computation, int lanes);

/// Returns a header with the algorithm, one function per schedule and a list of them. Arguments are
/// innermost first, channels before pixels. Requires: why_no_splits() returns nothing.
std::string halide_header(const std::vector<Schedule>& schedules, const Computation& computation,
                          int lanes);

}  // namespace tileplan
