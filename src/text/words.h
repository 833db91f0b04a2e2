// SPDX-License-Identifier: Apache-2.0
// Pieces of text that the parsers of this folder share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tileplan {

/// `text` without white space at either end.
std::string_view trimmed(std::string_view text);

/// `text` in double quotes on one line: control characters become `?`, long text is cut.
std::string quoted(std::string_view text);

/// True for white space, letters and digits of ASCII, whatever the locale.
bool is_space(char c);
bool is_letter(char c);
bool is_digit(char c);

/// `text` as a number. Throws Error, naming `what`, when it is not a whole number or does not fit
/// in 64 bits.
std::int64_t whole_number(std::string_view what, std::string_view text);

/// As `whole_number`; throws Error when the number is below `least` too.
std::int64_t number_from(std::int64_t least, std::string_view what, std::string_view text);

}  // namespace tileplan
