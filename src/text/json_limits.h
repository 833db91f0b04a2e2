// SPDX-License-Identifier: Apache-2.0
// These limits prevent JSON texts from exhausting the stack or the memory of their readers.
#pragma once

#include <string_view>

namespace tileplan {

/// Throws Error with the rule when `text` is larger than 16 MiB or nests lists and objects deeper
/// than 64 levels. Brackets in strings do not count. The message does not name the file.
void check_json_limits(std::string_view text);

}  // namespace tileplan
