// SPDX-License-Identifier: Apache-2.0
// Comma-separated tables are quoted as RFC 4180 has it, and their comment lines begin with '#'.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tileplan {

using CsvFields = std::vector<std::string>;

/// Returns the shortest exact text of `number`; nothing for what is missing or not finite.
std::string csv_number(std::optional<double> number);

/// Returns the fields of texts, whole numbers, flags (1 or 0) and numbers as csv_number has them.
template <class... Values>
CsvFields fields_of(const Values&... values) {
  const auto field = []<class Value>(const Value& value) -> std::string {
    if constexpr (std::is_convertible_v<const Value&, std::string>)
      return value;
    else if constexpr (std::is_integral_v<Value>)
      return std::to_string(value);
    else
      return csv_number(value);
  };
  return {field(values)...};
}

/// Returns the line of `fields`, with quotes around those that need them.
std::string csv_line(const CsvFields& fields);

CsvFields csv_fields(const std::string& line);

struct CsvTable {
  CsvFields columns;
  std::vector<CsvFields> rows;
};

/// Reads the names of the columns, then rows. Throws Error when a row has not as many fields.
CsvTable parse_csv(const std::string& text, const std::string& origin);

/// Takes the fields of one row from left to right. Requires: there are as many as are taken.
class CsvRow {
 public:
  explicit CsvRow(CsvFields fields) : fields_(std::move(fields)) {}

  std::string text() { return fields_[next_++]; }
  /// Returns 0 for an empty field. Throws Error for what is no number.
  double number();
  long long whole();
  std::optional<double> optional_number();

 private:
  CsvFields fields_;
  std::size_t next_ = 0;
};

}  // namespace tileplan
