// SPDX-License-Identifier: Apache-2.0
// Converts a measured kernel form to one row of a machine file and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tileplan/machine.h"

namespace tileplan {

/// Returns "w7 h2 k2 r3 s1 c4 14.02 35.1": the form, cycles per step, cycles per call, with all
/// digits that parse_form_rate needs.
std::string to_string(const FormRate& rate);

/// Returns the rate that `row` states, or nothing unless sizes are at least 1, cycles per step
/// positive and cycles per call not negative.
std::optional<FormRate> parse_form_rate(std::string_view row);

}  // namespace tileplan
