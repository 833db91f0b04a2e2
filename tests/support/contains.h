// SPDX-License-Identifier: Apache-2.0
// Tells whether a text has a part.
#pragma once

#include <string>

namespace tileplan {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tileplan
