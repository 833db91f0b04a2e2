// SPDX-License-Identifier: Apache-2.0
// Parsers share these functions on text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tileplan {

std::string_view trimmed(std::string_view text);

/// Returns `text` in double quotes on one line, cut when it is long.
std::string quoted(std::string_view text);

/// Returns "a, b, c" for a range of three texts.
template <class Texts>
std::string comma_separated(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list.append(list.empty() ? "" : ", ").append(text);
  return list;
}

/// These functions return true for white space, letters and digits of ASCII in any locale.
bool is_space(char c);
bool is_letter(char c);
bool is_digit(char c);

/// Returns `text` as a number. Throws Error that starts with `what` unless it is at least `least`.
std::int64_t number_from(std::int64_t least, std::string_view what, std::string_view text);

}  // namespace tileplan
