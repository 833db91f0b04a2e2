// SPDX-License-Identifier: Apache-2.0
// This file finds the functions of a step, and writes literals and limits. Literals have up to nine
// significant digits, which are enough to tell any two floats apart.
#include "c_function.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "elementwise.h"
#include "moves.h"
#include "operators.h"

namespace tileplan {

std::string float_text(float number) {
  if (std::isnan(number)) return "NAN";
  if (std::isinf(number)) return number < 0 ? "(-INFINITY)" : "INFINITY";
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9g", static_cast<double>(number));
  std::string text = digits.data();
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text += "f";
  return text.front() == '-' ? "(" + text + ")" : text;
}

std::string constants_text(const std::vector<std::pair<std::string, std::int64_t>>& constants) {
  std::string text;
  for (const auto& [name, value] : constants)
    text += (text.empty() ? "const int64_t " : ", ") + name + " = " + std::to_string(value);
  return text + ";";
}

void write_lines(CWriter& out, const std::string& text) {
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.line(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
}

bool has_limits(const NodeView& node) { return limits_of(node).any(); }

void write_limits(CWriter& out, const NodeView& node, const std::string& name) {
  const Limits limits = limits_of(node);
  const auto limit = [&](float bound, const char* relation) {
    if (std::isinf(bound)) return;
    const std::string text = float_text(bound);
    out.line(name + " = " + name + relation + text + " ? " + text + " : " + name + ";");
  };
  limit(limits.low, " < ");
  limit(limits.high, " > ");
}

std::vector<CFunction> functions_of(const WrittenStep& step) {
  const std::string& kind = step.node.kind();
  if (is_unary(kind)) return {unary_function(step)};
  if (is_binary(kind)) return {binary_function(step)};
  if (is_move(kind)) return move_functions(step);
  if (is_product(kind)) return {product_function(step)};
  if (kind == "Affine") return {affine_function(step)};
  if (kind == "MaxPool" || kind == "AveragePool") return {pool_function(step)};
  if (kind == "GlobalAveragePool" || kind == "ReduceMean") return {mean_function(step)};
  if (kind == "LRN") return {normalisation_function(step)};
  if (kind == "Softmax") return {softmax_function(step)};
  if (kind == "Reshape")
    return {conversion_function({elements_of(step.node.out_shape())}, Layout::nchw, Layout::nchw)};
  throw NotUnderstood{"a " + kind + " of this form has no C"};
}

}  // namespace tileplan
