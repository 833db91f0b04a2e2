// SPDX-License-Identifier: Apache-2.0
// Lines and index expressions of emitted C.
#include "c_text.h"

#include <algorithm>
#include <cstdlib>

namespace tileplan {

namespace {

constexpr std::size_t kIndent = 2;

}  // namespace

void LinearText::add(std::int64_t factor, const std::string& variable) {
  if (factor == 0 || variable == "0") return;
  const auto known = std::find_if(terms_.begin(), terms_.end(),
                                  [&](const auto& term) { return term.first == variable; });
  if (known == terms_.end()) {
    terms_.emplace_back(variable, factor);
  } else if ((known->second += factor) == 0) {
    terms_.erase(known);
  }
}

void LinearText::add(std::int64_t factor, const LinearText& other) {
  for (const auto& [variable, of_other] : other.terms_) add(factor * of_other, variable);
  constant_ += factor * other.constant_;
}

std::string LinearText::text() const {
  std::string text;
  const auto append = [&](std::int64_t factor, const std::string& variable) {
    const std::int64_t size = std::abs(factor);
    if (text.empty()) {
      text += factor < 0 ? "-" : "";
    } else {
      text += factor < 0 ? " - " : " + ";
    }
    if (variable.empty() || size != 1) text += std::to_string(size);
    if (!variable.empty()) text += (size != 1 ? " * " : "") + variable;
  };
  for (const auto& [variable, factor] : terms_) append(factor, variable);
  if (constant_ != 0 || text.empty()) append(constant_, "");
  return text;
}

void CWriter::line(const std::string& text) {
  text_ += std::string(kIndent * depth_, ' ') + text + "\n";
}

void CWriter::open(const std::string& head) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
}

void CWriter::close(const std::string& tail) {
  --depth_;
  line("}" + tail);
}

void CWriter::reopen(const std::string& middle) {
  --depth_;
  line("} " + middle + " {");
  ++depth_;
}

}  // namespace tileplan
