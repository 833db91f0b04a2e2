// SPDX-License-Identifier: Apache-2.0
// Fields of comma-separated lines. Texts with commas are quoted, as RFC 4180 has it.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

/// `text` between quotes, quotes in it doubled.
std::string csv_quoted(const std::string& text);

/// The shortest text that reads back as `number`.
std::string csv_number(double number);

/// Fields of a line; quotes are taken off.
std::vector<std::string> csv_fields(const std::string& line);

/// Takes the fields of one row from left to right. Requires: there are as many as are taken.
class CsvRow {
 public:
  explicit CsvRow(std::vector<std::string> fields) : fields_(std::move(fields)) {}

  std::string text() { return fields_[next_++]; }
  /// 0 for an empty field. Throws Error for what is no number.
  double number();
  /// The same, of an integer.
  long long whole();

 private:
  std::vector<std::string> fields_;
  std::size_t next_ = 0;
};

}  // namespace tileplan
