// SPDX-License-Identifier: Apache-2.0
// The types of tensor elements.
#pragma once

#include <cstdint>
#include <string>

namespace tileplan {

/// What tensors are made of: IEEE binary32 or binary64. All tensors of a problem have one type.
enum class ElementType { f32, f64 };

/// "f32", "f64".
std::string to_string(ElementType type);

/// 4 or 8.
std::int64_t bytes_of(ElementType type);

}  // namespace tileplan
