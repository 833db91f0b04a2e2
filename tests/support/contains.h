// SPDX-License-Identifier: Apache-2.0
// This file determines whether a text contains another.
#pragma once

#include <string>

namespace tileplan {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tileplan
