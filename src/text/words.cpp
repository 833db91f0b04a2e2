// SPDX-License-Identifier: Apache-2.0
// A number is accepted only if it is the whole text, so that wrong trailing characters are noticed.
#include "words.h"

#include <charconv>

#include "tileplan/error.h"

namespace tileplan {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string in_quotes(std::string_view text) {
  // Longer texts are cut. The longest descriptors have about 150 characters.
  constexpr std::size_t kLongest = 200;
  constexpr char kDelete = 0x7f;
  std::string result = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const bool control = (c >= 0 && c < ' ') || c == kDelete;
    result += control ? '?' : c;
  }
  return result + (text.size() > kLongest ? "...\"" : "\"");
}

std::int64_t number_from(std::int64_t least, std::string_view what, std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const auto refuse = [&](const std::string& shown, const std::string& rule) {
    throw Error(std::string(what) + " is " + shown + "; must " + rule);
  };
  if (stop != end || error == std::errc::invalid_argument)
    refuse(in_quotes(text), "be a whole number");
  if (error == std::errc::result_out_of_range)
    refuse(in_quotes(text), "fit in 64 bits (at most 2^63 - 1)");
  if (value < least) refuse(std::to_string(value), "be at least " + std::to_string(least));
  return value;
}

}  // namespace tileplan
