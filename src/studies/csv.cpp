// SPDX-License-Identifier: Apache-2.0
// Quotes and numbers.
#include "csv.h"

#include <array>
#include <charconv>

#include "tileplan/error.h"

namespace tileplan {

namespace {

template <class Number>
Number number_in(const std::string& field, std::size_t column) {
  Number value{};
  if (field.empty()) return value;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size())
    throw Error("column " + std::to_string(column) + " is '" + field + "'; must be a number");
  return value;
}

}  // namespace

std::string csv_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"') result += letter;
    result += letter;
  }
  result += '"';
  return result;
}

std::string csv_number(double number) {
  std::array<char, 32> digits{};  // the shortest text of a double has 24 at most
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  return {digits.data(), end};
}

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

double CsvRow::number() {
  ++next_;
  return number_in<double>(fields_[next_ - 1], next_);
}

long long CsvRow::whole() {
  ++next_;
  return number_in<long long>(fields_[next_ - 1], next_);
}

}  // namespace tileplan
