// SPDX-License-Identifier: Apache-2.0
// Texts, JSON documents and reports tell with these functions how much memory a kernel needs beside
// the tensors of its caller.
#pragma once

#include <nlohmann/json.hpp>

#include "compile.h"
#include "merge_dims.h"

namespace tileplan {

/// Returns kernel_memory() of plan.candidates[rank], or nothing if the schedule is for NEON or
/// cannot be lowered. `read` holds the computations of plan.problem.
std::optional<KernelMemory> memory_of(const Plan& plan, std::size_t rank,
                                      const ComputationVariants& read);

/// Returns a text such as "2.36 MB of packed weights, 40.0 kB of scratch per thread". Returns empty
/// text if `memory` is not known.
std::string memory_text(const std::optional<KernelMemory>& memory);

/// Returns an object with the bytes, or null if `memory` is not known.
nlohmann::ordered_json memory_json(const std::optional<KernelMemory>& memory);

}  // namespace tileplan
