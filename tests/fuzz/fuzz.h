// SPDX-License-Identifier: Apache-2.0
// A fuzz target is a function of bytes. It may throw Error, and anything else ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "check.h"
#include "tileplan/error.h"

namespace tileplan::fuzz {

/// Calls `action(text)`, which must throw nothing but Error, with a message of one line.
template <class Action>
int expect_error_only(const std::uint8_t* data, std::size_t size, const Action& action) {
  try {
    action(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    TILEPLAN_CHECK(*error.what() != '\0', "an error without a message");
  }
  return 0;
}

}  // namespace tileplan::fuzz
