// SPDX-License-Identifier: Apache-2.0
// This file catches the Error that an action throws.
#pragma once

#include <string>

#include "tileplan/error.h"

namespace tileplan {

/// Returns the text of the Error that `action` throws, or "" when it throws none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace tileplan
