// SPDX-License-Identifier: Apache-2.0
// This file writes the text and the index expressions of emitted C.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tileplan {

/// Returns `value` in decimal digits, with a minus sign if it is negative.
inline std::string number(std::int64_t value) { return std::to_string(value); }

/// Returns a C literal of type double that has exactly this value, which must be finite.
std::string exact_text(double value);

/// Returns a C literal of type float for `value`, which is rounded to float and then must be
/// finite.
std::string exact_float_text(double value);

/// Represents a sum of variables times constants. Its text is for example "2 * h_0 + r_1 - 1".
class LinearText {
 public:
  explicit LinearText(std::int64_t constant = 0) : constant_(constant) {}

  /// Adds `factor` * `variable`. The variable named "0" stands for zero and adds nothing.
  void add(std::int64_t factor, const std::string& variable);
  void add(std::int64_t constant) { constant_ += constant; }
  void add(std::int64_t factor, const LinearText& other);

  std::string text() const;
  bool is_constant() const { return terms_.empty(); }

 private:
  // The terms have the order in which they were added.
  std::vector<std::pair<std::string, std::int64_t>> terms_;
  std::int64_t constant_ = 0;
};

std::string in_parentheses(const std::string& text);

/// Returns "NAME(arguments);", or "NAME_LANES(arguments, lanes);" if `cut` is true.
std::string macro_call(const std::string& name, const std::string& arguments, bool cut);

/// Returns a C condition which is true when `index` lies in [0, extent).
std::string inside_text(const LinearText& index, std::int64_t extent);

/// Appends `condition` to the conjunction `all`, which may be empty.
void add_condition(std::string& all, const std::string& condition);

class CWriter {
 public:
  void line(const std::string& text);
  /// Writes a preprocessor line, or whole functions, without indentation.
  void directive(const std::string& text) { text_ += text + "\n"; }
  void open(const std::string& head);
  void close();
  void reopen(const std::string& middle);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace tileplan
