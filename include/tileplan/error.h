// SPDX-License-Identifier: Apache-2.0
// The library throws this one type of exception for wrong input.
#pragma once

#include <stdexcept>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Reports that a shape, a file or an option given by the caller is wrong, or that something failed
/// outside the library, such as writing a file. `what()` is one line that names the input, its
/// value and the violated rule, or the reason for the failure.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace tileplan
