// SPDX-License-Identifier: Apache-2.0
// This file describes a machine as an attribute of MLIR's dialect dlti, with the keys that its
// documentation uses.
#include "writers.h"

namespace tileplan {

std::string dlti_system(const Machine& machine) {
  std::string entries;
  const auto add = [&](const std::string& key, std::int64_t value) {
    entries.append("#dlti.dl_entry<\"").append(key).append("\", ");
    entries.append(std::to_string(value)).append(" : i64>, ");
  };
  for (const CacheLevel& cache : machine.caches)
    add(cache.name + "_cache_size_in_bytes", cache.capacity_bytes);
  constexpr int kBitsPerByte = 8;
  add("max_vector_op_width", static_cast<std::int64_t>(machine.vector.lanes) *
                                 bytes_of(machine.vector.element) * kBitsPerByte);
  entries.resize(entries.size() - 2);
  return "#dlti.target_system_spec<\"CPU\": #dlti.target_device_spec<" + entries + ">>";
}

}  // namespace tileplan
