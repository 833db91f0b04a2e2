// SPDX-License-Identifier: Apache-2.0
// This file formats numbers and tables, and colours and wraps text.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "terminal_text.h"

namespace tileplan {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t most = 0;
  for (const std::string& line : lines) most = std::max(most, line.size());
  return most;
}

/// Breaks each heading at blanks into lines that are at most as wide as the entries of its column,
/// unless one word is wider. The last lines of all headings are in one row of the table.
Rows with_broken_headings(const Rows& rows) {
  std::vector<std::vector<std::string>> headings;
  std::size_t height = 0;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    std::size_t entries = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
      entries = std::max(entries, rows[i][column].size());
    const std::string& heading = rows.front()[column];
    headings.push_back(lines_of(wrapped(heading, static_cast<int>(entries), 0, 0)));
    height = std::max(height, headings.back().size());
  }
  Rows result(height, std::vector<std::string>(headings.size()));
  for (std::size_t column = 0; column < headings.size(); ++column)
    for (std::size_t i = 0; i < headings[column].size(); ++i)
      result[height - headings[column].size() + i][column] = headings[column][i];
  result.insert(result.end(), rows.begin() + 1, rows.end());
  return result;
}

/// Returns `value`, which is at least 1, with four digits, or with more if the whole part has more.
std::string four_digits(double value) {
  // A value between one of these limits and the next power of ten is rounded up to this power.
  constexpr double kTen = 9.9995, kHundred = 99.995, kThousand = 999.95;
  return fixed(value, value < kTen ? 3 : value < kHundred ? 2 : value < kThousand ? 1 : 0);
}

}  // namespace

std::string fixed(double value, int digits) {
  // The largest double has 309 digits before the decimal point.
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string format_seconds(double seconds) {
  constexpr double kMilli = 1e-3, kMicro = 1e-6, kNano = 1e-9;
  constexpr double kRoundedToMicro = 0.99995e-6;
  if (seconds >= 1) return four_digits(seconds) + " s";
  if (seconds >= kMilli) return four_digits(seconds / kMilli) + " ms";
  if (seconds >= kRoundedToMicro || seconds <= 0) return fixed(seconds / kMicro, 1) + " us";
  return fixed(seconds / kNano, 1) + " ns";
}

std::string with_prefix(double value, const std::string& unit) {
  constexpr std::array kFactors{1e12, 1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9};
  constexpr std::array kNames{"T", "G", "M", "k", "", "m", "u", "n"};
  if (value == 0) return "0 " + unit;
  std::size_t at = 0;
  while (at + 1 < kFactors.size() && std::abs(value) < kFactors[at]) ++at;
  // The number 999.6 would be rounded to 1000, so it becomes 1.00 with the next larger prefix.
  constexpr double kTen = 9.995, kHundred = 99.95, kThousand = 999.5;
  if (at > 0 && std::abs(value) / kFactors[at] >= kThousand) --at;
  const double scaled = value / kFactors[at], size = std::abs(scaled);
  const bool whole = kFactors[at] == 1 && scaled == std::floor(scaled);
  const int digits = whole ? 0 : size < kTen ? 2 : size < kHundred ? 1 : 0;
  const std::string name = kNames[at] + unit;
  return fixed(scaled, digits) + (name.empty() ? "" : " " + name);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      const std::string& sample = rows.back()[i];
      const bool number = !sample.empty() && sample[0] >= '0' && sample[0] <= '9';
      line.append(i > 0 ? "  " : "").append(number ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string table_text(const Rows& rows, TextStyle style) {
  const std::string text = aligned(rows);
  const bool fits =
      style.width == 0 || widest(lines_of(text)) <= static_cast<std::size_t>(style.width);
  return fits ? text : aligned(with_broken_headings(rows));
}

std::string coloured(const std::string& text, const char* code, TextStyle style) {
  return style.colour ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

std::string wrapped(const std::string& text, int width, std::size_t first, std::size_t indent) {
  std::string result, line(first, ' ');
  std::size_t empty = first;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (line.size() > empty && line.size() + 1 + word.size() > static_cast<std::size_t>(width)) {
      result += line + '\n';
      line = std::string(indent, ' ');
      empty = indent;
    }
    line.append(line.size() > empty ? " " : "").append(word);
    start = end + 1;
  }
  return result + line + '\n';
}

std::string narrow_table(
    std::vector<std::vector<std::string>> rows, TextStyle style,
    const std::function<std::string(std::size_t row, const std::string& line)>& paint) {
  constexpr std::size_t kIndent = 6;
  std::vector<std::string> below;
  for (auto& row : rows) {
    below.push_back(row.back());
    row.pop_back();
  }
  const std::string table = aligned(rows);
  std::size_t start = table.find('\n') + 1;
  std::string text = table.substr(0, start);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::size_t end = table.find('\n', start);
    text += paint(i, table.substr(start, end - start)) + '\n' +
            wrapped(below[i], style.width, kIndent, kIndent);
    start = end + 1;
  }
  return text;
}

std::string narrow_table(const Rows& rows, TextStyle style) {
  return narrow_table(rows, style,
                      [](std::size_t /*row*/, const std::string& line) { return line; });
}

std::string fitted(const std::string& text, TextStyle style) {
  constexpr std::size_t kNext = 2;  // Counts the blanks at the start of continuation lines.
  if (style.width == 0) return text;
  std::string result;
  for (const std::string& line : lines_of(text)) result += wrapped(line, style.width, 0, kNext);
  return result;
}

}  // namespace tileplan
