// SPDX-License-Identifier: Apache-2.0
// Parsers and messages share these text functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tileplan {

std::string_view trimmed(std::string_view text);

/// Returns `text` on one line in double quotes. Question marks replace ASCII control characters.
/// Only the first 200 bytes of a longer text are shown.
std::string in_quotes(std::string_view text);

template <class Texts>
std::string comma_separated(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list.append(list.empty() ? "" : ", ").append(text);
  return list;
}

/// Returns the word of `known` that is most similar to `word`. The first word that only has further
/// parts is preferred, such as resnet50-gemm-9 for resnet50-9. If exactly two words have this form,
/// the result is "FIRST or SECOND". If none has, the word with the fewest edits is returned, or ""
/// when every word needs more than two edits or as many as it has letters. One edit adds, removes
/// or replaces a letter, or exchanges two neighbouring letters.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

/// Returns the end of a message about `word`, such as "; did you mean mlir?", or "" when no word of
/// `known` is near.
std::string meant_text(const std::string& word, const std::vector<std::string>& known);

/// These functions test for ASCII characters, independently of the locale.
bool is_space(char c);
bool is_letter(char c);
bool is_digit(char c);

/// Returns the integer that `text` consists of. Throws an Error whose message starts with `what`
/// unless `text` is a 64-bit integer of at least `least`.
std::int64_t number_from(std::int64_t least, std::string_view what, std::string_view text);

}  // namespace tileplan
