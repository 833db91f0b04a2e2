// SPDX-License-Identifier: Apache-2.0
// The rules for escapes are those of RFC 4180 (CSV), of CommonMark (Markdown) and of OWASP
// (formulas in CSV).
#include "escapes.h"

#include <algorithm>
#include <charconv>

namespace tileplan {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, value).ptr == end;
}

}  // namespace

bool is_formula(std::string_view text) {
  return !text.empty() &&
         std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

std::string csv_field(std::string_view text) {
  std::string field = is_formula(text) ? "'" : "";
  field += text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string markdown_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else
      result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

std::string markdown_code(std::string_view text) {
  if (text.find_first_of("`\r\n") != std::string_view::npos) return markdown_line(text);
  return std::string("`").append(text).append("`");
}

std::string markdown_block(std::string_view text) {
  std::size_t longest = 2, row = 0;
  for (const char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  const std::string fence(longest + 1, '`');
  return std::string(fence).append("\n").append(text).append("\n").append(fence).append("\n");
}

}  // namespace tileplan
