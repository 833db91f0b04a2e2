// SPDX-License-Identifier: Apache-2.0
// The size of what tensors are made of.
#pragma once

#include <cstdint>

namespace tileplan {

/// Bytes of one element of every tensor: f32.
constexpr std::int64_t kElementBytes = 4;

}  // namespace tileplan
