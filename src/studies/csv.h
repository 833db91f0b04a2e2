// SPDX-License-Identifier: Apache-2.0
// This file reads and writes comma-separated tables (RFC 4180) whose fields have no line breaks.
// Lines that begin with '#' are comments.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tileplan {

using CsvFields = std::vector<std::string>;

/// Returns the shortest exact text of `number`, or an empty text when it is missing or not finite.
std::string csv_number(std::optional<double> number);

/// Converts texts, integers, flags (to 1 or 0) and numbers (as csv_number() does) to fields.
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

/// Returns one line with all fields. csv_field() (escapes.h) quotes fields if necessary, and puts
/// an apostrophe before texts such as "--dt=f64" that a spreadsheet would take for a formula.
std::string csv_line(const CsvFields& fields);

/// Returns the fields of one line without the quotes around them and the apostrophes that
/// csv_line() put before them.
CsvFields csv_fields(const std::string& line);

struct CsvTable {
  CsvFields columns;
  std::vector<CsvFields> rows;
};

/// Parses the column names, then the rows. Throws Error, which names `origin` and the line, unless
/// each row has one field per column. Ignores comment lines and empty lines.
CsvTable parse_csv(const std::string& text, const std::string& origin);

/// Reads the fields of one row from left to right. Requires that no more fields are read than
/// exist.
class CsvRow {
 public:
  explicit CsvRow(CsvFields fields) : fields_(std::move(fields)) {}

  std::string text() { return fields_[next_++]; }
  /// Returns the number in the next field, or 0 for an empty field; whole() requires an integer,
  /// and optional_number() returns nothing for an empty field. All three throw Error when the field
  /// is no such number.
  double number();
  long long whole();
  std::optional<double> optional_number();

 private:
  CsvFields fields_;
  std::size_t next_ = 0;
};

}  // namespace tileplan
