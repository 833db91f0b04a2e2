// SPDX-License-Identifier: Apache-2.0
// Messages show texts of users, which may be long or hold bytes that control terminals.
#pragma once

#include <string>
#include <string_view>

namespace tileplan {

/// Returns `text`, or its start and its end around " ... " when it has more than `most` bytes. The
/// end is kept because messages say the rule there. Characters of UTF-8 are not split.
std::string shortened(std::string_view text, std::size_t most = 600);

/// Returns true when `text` is UTF-8 without surrogates and overlong forms.
bool is_utf8(std::string_view text);

/// Returns `text` with a question mark instead of each control character but tabs and line breaks,
/// those of C1 included, and instead of each byte that is no UTF-8.
std::string printable(std::string_view text);

}  // namespace tileplan
