// SPDX-License-Identifier: Apache-2.0
// This file declares the writers of all formats but benchdnn (workload.h) and, for most of them, a
// function that tells what the format cannot express.
#pragma once

#include <array>

#include "computation.h"
#include "tileplan/candidates.h"

namespace tileplan {

/// Returns one JSON object as data/candidates.schema.json specifies it, without a line break.
std::string json_line(const ListedCandidate& listed, const CandidateList& list);

/// Returns the object of json_line(). It also holds the computation and the loops, outermost first.
std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list,
                              const Computation& computation);

/// Returns the reason why the notation of the papers on TTile (a scheme) cannot express `schedule`,
/// or nothing.
std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem);

/// Returns `schedule` in the papers' notation. [T(64,c), U(14,h), U(2,k), V(k)] becomes "[V f; U
/// (2, f); U (14, y); T (64, c); Hoist_vars [c]]". Requires: why_no_scheme() returns nothing.
std::string to_scheme(const Schedule& schedule, const Problem& problem);

/// Returns the reason why the notation of the compiler XTC cannot express `schedule`, or nothing.
std::optional<std::string> why_no_xtc(const Schedule& schedule, const Computation& computation,
                                      int lanes);

/// Returns `schedule` in XTC's notation. With 16 lanes, [T(64,c), U(14,h), U(2,k), V(k)] becomes
/// "[V(f,16); U(f,2); U(y,14); T(c,64)]". Requires: why_no_xtc() returns nothing.
std::string to_xtc(const Schedule& schedule, const Problem& problem, int lanes);

/// Returns an MLIR module with the operation on tensors, a description of `machine`, and the
/// transforms that tile and vectorise the operation and unroll the register tile of a convolution.
/// Requires: why_no_linalg() returns nothing.
std::string mlir_module(const Schedule& schedule, const Computation& computation,
                        const Machine& machine);

/// Returns the reason why the tiling levels of IREE's CPU pipelines cannot express `schedule`, or
/// nothing.
std::optional<std::string> why_no_iree(const Schedule& schedule, const Computation& computation,
                                       int lanes);

/// Returns a module for IREE with the operation on tensors and its lowering configuration.
/// Requires: why_no_iree() returns nothing.
std::string iree_module(const Schedule& schedule, const Computation& computation, int lanes);

/// Describes how PyTorch's Inductor divides a product into blocks.
struct InductorBlocking {
  std::array<std::int64_t, 2> register_tile = {};  ///< The microkernel has these rows and columns.
  /// The blocks for the caches have this many register tiles along rows and columns, and this many
  /// steps of the sum.
  std::array<std::int64_t, 3> cache_blocks = {};
  /// This many threads share the rows, the columns and the sums.
  std::array<std::int64_t, 3> threads = {1, 1, 1};
};

/// Returns the reason why Inductor's template for products cannot express `schedule`, or nothing.
/// `threads` threads share its parallel loop.
std::optional<std::string> why_no_inductor(const Schedule& schedule, const Computation& computation,
                                           int lanes, int threads);

/// Returns the blocks of `schedule`. Requires: why_no_inductor() returns nothing.
InductorBlocking inductor_blocking(const Schedule& schedule, const Computation& computation,
                                   int lanes, int threads);

/// Returns the object of json_line() with the register tile of `blocking` and the settings of
/// Inductor that lead to its other blocks.
std::string inductor_line(const ListedCandidate& listed, const CandidateList& list,
                          const InductorBlocking& blocking);

/// Returns the reason why ZigZag's loops and equations cannot express `schedule`, or nothing.
std::optional<std::string> why_no_zigzag(const Schedule& schedule, const Computation& computation,
                                         int lanes);

/// Returns a JSON object with ZigZag's accelerator, workload and mapping, each with the fields of
/// its YAML file. The object also holds the problem, the machine's name, the schedule, its
/// predicted time and ZigZag's cycles per second. The accelerator is one core of the machine.
/// Requires: why_no_zigzag() returns nothing.
std::string zigzag_line(const Candidate& candidate, const CandidateList& list,
                        const Computation& computation);

/// Returns the attribute with which modules for MLIR 19 describe `machine`: the sizes of its caches
/// and the width of its vectors in bits.
std::string dlti_system(const Machine& machine);

/// Returns a header with the algorithm, one function per schedule and a list of these functions.
/// The arguments of tensors are innermost first, channels before pixels. Requires: why_no_splits()
/// returns nothing.
std::string halide_header(const std::vector<Schedule>& schedules, const Computation& computation,
                          int lanes);

}  // namespace tileplan
