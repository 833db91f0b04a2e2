// SPDX-License-Identifier: Apache-2.0
// This header names the types of tensor elements.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the IEEE formats binary32 and binary64. All tensors of a problem have one type.
enum class ElementType { f32, f64 };

/// Returns "f32" or "f64".
std::string to_string(ElementType type);

/// Returns the size of one element in bytes: 4 or 8.
std::int64_t bytes_of(ElementType type);

}  // namespace tileplan
