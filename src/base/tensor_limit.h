// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors are limited, so that the models may round extents up without overflow.
#pragma once

#include <cstdint>

namespace tileplan {

/// Limits the bytes of a tensor. Addresses of a process on x86-64 have at most 57 bits.
inline constexpr std::int64_t kMostTensorBytes = std::int64_t{1} << 57;

}  // namespace tileplan
