// SPDX-License-Identifier: Apache-2.0
// These limits bound the time that isl spends on a user's text.
#pragma once

#include <string>

namespace tileplan {

/// Limits isl's internal operations on one problem. A grouped convolution over three axes, which
/// has the most dimensions except for some relations, needs a fifth of this number.
inline constexpr unsigned long kMostIslOperations = 100'000;

/// Error messages about a text that exceeds kMostIslOperations end with this text.
inline constexpr const char* kTooManyOperations =
    " needs more than 100000 operations of isl; must be simpler";

/// Throws Error that names `what` when `text` has more than 10,000 characters, nests brackets
/// deeper than 8 levels, or has more than 100 different names. isl's time grows exponentially with
/// nested divisions and faster than the square of the names.
void check_isl_limits(const char* what, const std::string& text);

}  // namespace tileplan
