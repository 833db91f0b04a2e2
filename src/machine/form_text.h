// SPDX-License-Identifier: Apache-2.0
// A measured kernel form as one row of a machine file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tileplan/machine.h"

namespace tileplan {

/// "w7 h2 k2 r3 s1 c4 14.02 35.1": the form, cycles per step, cycles per call; every digit that
/// parse_form_rate needs to give the same numbers back.
std::string to_string(const FormRate& rate);

/// The rate that `row` states. Nothing unless it is exactly of that form, sizes at least 1, cycles
/// per step positive and per call not negative.
std::optional<FormRate> parse_form_rate(std::string_view row);

}  // namespace tileplan
