// SPDX-License-Identifier: Apache-2.0
// Memory is unknown for NEON and for loops that cannot be lowered, so each of these functions has a
// value for unknown memory.
#include "kernel_memory.h"

#include "tileplan/error.h"
#include "tileplan/text.h"

namespace tileplan {

std::optional<KernelMemory> memory_of(const Plan& plan, std::size_t rank,
                                      const ComputationVariants& read) {
  try {
    return kernel_memory(plan, rank, read.of(plan.candidates.at(rank).schedule));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string memory_text(const std::optional<KernelMemory>& memory) {
  if (!memory) return "";
  const auto amount = [](std::size_t bytes, const std::string& what) {
    return bytes == 0 ? "no " + what : with_prefix(static_cast<double>(bytes), "B") + " of " + what;
  };
  std::string text = amount(memory->packed_weights, "packed weights") + ", " +
                     amount(memory->thread_scratch, "scratch per thread");
  if (memory->run_scratch > 0) text += ", " + amount(memory->run_scratch, "scratch per run");
  return text;
}

nlohmann::ordered_json memory_json(const std::optional<KernelMemory>& memory) {
  if (!memory) return nullptr;
  return {{"packed_weights_bytes", memory->packed_weights},
          {"thread_scratch_bytes", memory->thread_scratch},
          {"run_scratch_bytes", memory->run_scratch}};
}

}  // namespace tileplan
