// SPDX-License-Identifier: Apache-2.0
// This file feeds arbitrary bytes to readers. A reader may throw Error, and other failures end the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "check.h"
#include "tileplan/error.h"

namespace tileplan::fuzz {

/// Calls `action(text)`, which may only throw an Error with a message. Returns 0 for libFuzzer.
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
