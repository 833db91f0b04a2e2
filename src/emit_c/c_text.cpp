// SPDX-License-Identifier: Apache-2.0
// This file writes literals, expressions and lines of C. It merges terms with equal variables, so
// that index expressions stay short.
#include "c_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace tileplan {
namespace {

constexpr std::size_t kIndent = 2;

void append_sign(std::string& text, std::int64_t value) {
  if (text.empty())
    text += value < 0 ? "-" : "";
  else
    text += value < 0 ? " - " : " + ";
}

}  // namespace

std::string exact_text(double value) {
  // Unlike printf, std::to_chars writes a point in every locale.
  std::array<char, 40> digits{};
  const auto end =
      std::to_chars(digits.begin(), digits.end(), std::abs(value), std::chars_format::hex).ptr;
  return std::string(std::signbit(value) ? "-0x" : "0x").append(digits.begin(), end);
}

std::string exact_float_text(double value) {
  return exact_text(static_cast<double>(static_cast<float>(value))) + "f";
}

void LinearText::add(std::int64_t factor, const std::string& variable) {
  if (factor == 0 || variable == "0") return;
  const auto known =
      std::ranges::find_if(terms_, [&](const auto& term) { return term.first == variable; });
  if (known == terms_.end())
    terms_.emplace_back(variable, factor);
  else if ((known->second += factor) == 0)
    terms_.erase(known);
}

void LinearText::add(std::int64_t factor, const LinearText& other) {
  for (const auto& [variable, of_other] : other.terms_) add(factor * of_other, variable);
  constant_ += factor * other.constant_;
}

std::string LinearText::text() const {
  std::string text;
  for (const auto& [variable, factor] : terms_) {
    append_sign(text, factor);
    if (std::abs(factor) != 1) text += std::to_string(std::abs(factor)) + " * ";
    text += variable;
  }
  if (constant_ == 0 && !text.empty()) return text;
  append_sign(text, constant_);
  return text + std::to_string(std::abs(constant_));
}

std::string in_parentheses(const std::string& text) {
  // Appending to a string avoids a false warning of GCC 12 about overlapping memory, which `"(" +
  // text` causes.
  return std::string(1, '(').append(text).append(1, ')');
}

std::string macro_call(const std::string& name, const std::string& arguments, bool cut) {
  return name + (cut ? "_LANES(" : "(") + arguments + (cut ? ", lanes);" : ");");
}

std::string inside_text(const LinearText& index, std::int64_t extent) {
  return "INSIDE(" + index.text() + ", " + std::to_string(extent) + ")";
}

void add_condition(std::string& all, const std::string& condition) {
  if (!all.empty()) all += " && ";
  all += condition;
}

void CWriter::line(const std::string& text) {
  text_ += std::string(kIndent * depth_, ' ') + text + "\n";
}

void CWriter::open(const std::string& head) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
}

void CWriter::close() {
  --depth_;
  line("}");
}

void CWriter::reopen(const std::string& middle) {
  --depth_;
  line("} " + middle + " {");
  ++depth_;
}

}  // namespace tileplan
