// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace tileplan {

/// Wrong input from the caller: a shape, a file, an option. `what()` is one line: what it was, the
/// offending value, and the rule that it breaks. Thrown once, at the door; everything behind the
/// door may rely on what was checked.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace tileplan
