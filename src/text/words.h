// SPDX-License-Identifier: Apache-2.0
// These text functions are shared by all parsers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tileplan {

std::string_view trimmed(std::string_view text);

/// Returns `text` on one line in double quotes. The end of a long text is left out.
std::string in_quotes(std::string_view text);

template <class Texts>
std::string comma_separated(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list.append(list.empty() ? "" : ", ").append(text);
  return list;
}

/// Returns the word of `known` with the fewest edits from `word`: letters that are added, left out
/// or replaced, or neighbouring letters that are exchanged. Words that are `word` and a further
/// part come first, such as resnet50-gemm-9 for resnet50-9; if there are two, both are returned.
/// Returns "" when every word needs more than two edits.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

/// Returns the end of a message about `word`, such as "; did you mean mlir?", or "" when no word of
/// `known` is near.
std::string meant_text(const std::string& word, const std::vector<std::string>& known);

/// These functions test for ASCII characters, independently of the locale.
bool is_space(char c);
bool is_letter(char c);
bool is_digit(char c);

/// Returns the integer that `text` consists of. Throws an Error whose message starts with `what`
/// unless `text` is an integer of at least `least`.
std::int64_t number_from(std::int64_t least, std::string_view what, std::string_view text);

}  // namespace tileplan
