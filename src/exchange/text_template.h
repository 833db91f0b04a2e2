// SPDX-License-Identifier: Apache-2.0
// This file fills values into program text.
#pragma once

#include <string>
#include <vector>

#include "words.h"

namespace tileplan {

/// Returns `text` with each `$` replaced by the next of `values`. Requires: there are as many `$`
/// as values.
inline std::string fill(std::string text, const std::vector<std::string>& values) {
  std::size_t at = 0;
  for (const std::string& value : values) {
    at = text.find('$', at);
    text.replace(at, 1, value);
    at += value.size();
  }
  return text;
}

}  // namespace tileplan
