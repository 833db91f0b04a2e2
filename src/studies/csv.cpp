// SPDX-License-Identifier: Apache-2.0
// Missing numbers are written as empty fields.
#include "csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "escapes.h"
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

std::string csv_number(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return "";
  std::array<char, 32> digits{};  // The text of a double has at most 24 characters.
  const auto end = std::to_chars(digits.begin(), digits.end(), *number).ptr;
  return {digits.data(), end};
}

std::string csv_line(const CsvFields& fields) {
  std::ostringstream line;
  const char* separator = "";
  for (const std::string& field : fields) line << std::exchange(separator, ",") << csv_field(field);
  line << '\n';
  return line.str();
}

CsvFields csv_fields(const std::string& line) {
  CsvFields fields(1);
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
  for (std::string& field : fields)
    if (field.starts_with('\'') && is_formula(std::string_view(field).substr(1))) field.erase(0, 1);
  return fields;
}

CsvTable parse_csv(const std::string& text, const std::string& origin) {
  CsvTable table;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    CsvFields fields = csv_fields(line);
    if (table.columns.empty())
      table.columns = std::move(fields);
    else if (fields.size() == table.columns.size())
      table.rows.push_back(std::move(fields));
    else
      throw Error(origin + ":" + std::to_string(number) + ": " + std::to_string(fields.size()) +
                  " columns; must be " + std::to_string(table.columns.size()));
  }
  return table;
}

double CsvRow::number() {
  ++next_;
  return number_in<double>(fields_[next_ - 1], next_);
}

long long CsvRow::whole() {
  ++next_;
  return number_in<long long>(fields_[next_ - 1], next_);
}

std::optional<double> CsvRow::optional_number() {
  const bool missing = fields_[next_].empty();
  const double value = number();
  return missing ? std::nullopt : std::optional(value);
}

}  // namespace tileplan
