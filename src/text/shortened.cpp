// SPDX-License-Identifier: Apache-2.0
// The table of well-formed UTF-8 (Unicode 15, table 3-7) defines the valid characters.
#include "shortened.h"

#include <algorithm>

#include "tileplan/text.h"

namespace tileplan {
namespace {

constexpr std::string_view kGap = " ... ";

bool is_between(char c, unsigned low, unsigned high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

bool continues(char c) { return is_between(c, 0x80, 0xBF); }

/// Returns the number of bytes of a UTF-8 character whose first byte is `first`, or 0 if no
/// character starts with this byte.
std::size_t length_by(char first) {
  if (is_between(first, 0x00, 0x7F)) return 1;
  if (is_between(first, 0xC2, 0xDF)) return 2;
  if (is_between(first, 0xE0, 0xEF)) return 3;
  return is_between(first, 0xF0, 0xF4) ? 4 : 0;
}

/// Returns true if `second` may follow `first` in UTF-8, which has no overlong sequences, no
/// surrogates and no code points beyond U+10FFFF.
bool may_follow(char first, char second) {
  switch (static_cast<unsigned char>(first)) {
    case 0xE0:
      return is_between(second, 0xA0, 0xBF);
    case 0xED:
      return is_between(second, 0x80, 0x9F);
    case 0xF0:
      return is_between(second, 0x90, 0xBF);
    case 0xF4:
      return is_between(second, 0x80, 0x8F);
    default:
      return continues(second);
  }
}

/// Returns the number of bytes of the character at the start of `text`, or 0 when it is malformed.
std::size_t character_length(std::string_view text) {
  const std::size_t length = length_by(text.front());
  if (length > text.size()) return 0;
  if (length > 1 && !may_follow(text[0], text[1])) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!continues(text[i])) return 0;
  return length;
}

bool is_control(std::string_view character) {
  const char c = character.front();
  if (character.size() == 2) return c == '\xC2' && is_between(character[1], 0x80, 0x9F);
  return character.size() == 1 && c != '\n' && c != '\t' && (is_between(c, 0, 0x1F) || c == 0x7F);
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t start = most / 2, end = text.size() - (most - most / 2);
  while (start > 0 && continues(text[start])) --start;
  while (end < text.size() && continues(text[end])) ++end;
  return std::string(text.substr(0, start)).append(kGap).append(text.substr(end));
}

std::string message_line(const std::string& text) {
  std::string line = printable(text);
  std::ranges::replace(line, '\n', ' ');
  return shortened(line);
}

std::string end_of(const std::string& text, std::size_t length) {
  return text.size() <= length ? text : "..." + text.substr(text.size() - length + 3);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(character))
      result += '?';
    else
      result += character;
    text.remove_prefix(character.size());
  }
  return result;
}

}  // namespace tileplan
