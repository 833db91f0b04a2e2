// SPDX-License-Identifier: Apache-2.0
// A saved network has a line with the format and sizes, JSON with the graph and the schedules, and
// the bytes of tensors.
#pragma once

#include <cstdint>

namespace tileplan {

inline constexpr const char* kNetworkFormat = "tileplan-network-1";
/// The inputs of the run whose outputs are saved are random numbers from this seed.
inline constexpr std::uint64_t kSavedSeed = 1;

}  // namespace tileplan
