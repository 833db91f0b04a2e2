// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors are limited, so that the models may round extents up without overflow.
#pragma once

#include <cstdint>

namespace tileplan {

/// A tensor has at most this many bytes, because no process has longer addresses.
inline constexpr std::int64_t kMostTensorBytes = std::int64_t{1} << 57;

}  // namespace tileplan
