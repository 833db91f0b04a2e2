// SPDX-License-Identifier: Apache-2.0
// This file reads and writes epilogues as words between commas.
#include "tileplan/epilogue.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kClamp = "clamp=";

/// Names the parts in the order in which they are applied. Parts of equal rank exclude each other.
struct Part {
  std::string_view word;  ///< A word that ends in `=` is followed by numbers.
  int rank = 0;
};
constexpr std::array<Part, 7> kParts{{{"alpha=", 0},
                                      {"accumulate", 1},
                                      {"beta=", 1},
                                      {"bias", 2},
                                      {"add", 3},
                                      {"relu", 4},
                                      {kClamp, 4}}};

[[noreturn]] void refuse(std::string_view word, const std::string& rule) {
  throw Error("epilogue: " + quoted(word) + "; " + rule);
}

double limit(std::string_view word, std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error != std::errc{} || std::isnan(value))
    refuse(word, "must be clamp=LOW:HIGH with numbers, e.g. clamp=0:6");
  return value;
}

void read_clamp(std::string_view word, Epilogue& epilogue) {
  const std::string_view limits = word.substr(kClamp.size());
  const std::size_t colon = limits.find(':');
  if (colon == std::string_view::npos)
    refuse(word, "must be clamp=LOW:HIGH with numbers, e.g. clamp=0:6");
  epilogue.low = limit(word, limits.substr(0, colon));
  epilogue.high = limit(word, limits.substr(colon + 1));
  if (epilogue.low > epilogue.high) refuse(word, "the first limit must not be above the second");
}

double factor(std::string_view word, std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error != std::errc{} || !std::isfinite(value))
    refuse(word, "must be alpha=NUMBER or beta=NUMBER with a finite number, e.g. alpha=2,beta=0.5");
  return value;
}

/// Returns the part that `word` is, without its numbers.
const Part& part_of(std::string_view word) {
  const auto* const found = std::ranges::find_if(kParts, [&](const Part& part) {
    return part.word.ends_with('=') ? word.starts_with(part.word) : word == part.word;
  });
  if (found == kParts.end())
    refuse(word, "must be alpha=X, accumulate, beta=Y, bias, add, relu or clamp=LOW:HIGH");
  return *found;
}

void read_word(std::string_view word, Epilogue& epilogue) {
  const std::string_view name = part_of(word).word;
  const std::string_view rest = word.substr(name.size());
  if (name == "alpha=")
    epilogue.alpha = factor(word, rest);
  else if (name == "accumulate")
    epilogue.beta = 1;
  else if (name == "beta=")
    epilogue.beta = factor(word, rest);
  else if (name == "bias")
    epilogue.bias = true;
  else if (name == "add")
    epilogue.add = true;
  else if (name == "relu")
    epilogue.low = 0;
  else
    read_clamp(word, epilogue);
}

void check_order(std::string_view word, std::string_view last) {
  if (last.empty()) return;
  const Part &part = part_of(word), &before = part_of(last);
  if (part.rank > before.rank) return;
  if (part.rank < before.rank)
    refuse(word, "stands after " + quoted(last) +
                     "; parts must be in the order in which they are applied: alpha=X, accumulate "
                     "or beta=Y, bias, add, then relu or clamp=LOW:HIGH");
  if (part.word == before.word && !part.word.ends_with('='))
    refuse(word, "each part may be given once");
  refuse(word, part.rank == 4   ? "only one of relu and clamp=LOW:HIGH may be given"
               : part.rank == 1 ? "only one of accumulate and beta=Y may be given"
                                : "each part may be given once");
}

std::string shortest(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

}  // namespace

Epilogue parse_epilogue(const std::string& text) {
  Epilogue epilogue;
  if (text == "none") return epilogue;
  std::string_view last, rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    read_word(word, epilogue);
    check_order(word, last);
    last = word;
    if (comma == std::string_view::npos) return epilogue;
    rest.remove_prefix(comma + 1);
  }
}

std::string to_string(const Epilogue& epilogue) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  if (epilogue.alpha != 1) add("alpha=" + shortest(epilogue.alpha));
  if (epilogue.beta == 1)
    add("accumulate");
  else if (epilogue.beta != 0)
    add("beta=" + shortest(epilogue.beta));
  if (epilogue.bias) add("bias");
  if (epilogue.add) add("add");
  const bool relu = epilogue.low == 0 && !std::signbit(epilogue.low) && epilogue.high == kInfinity;
  if (relu)
    add("relu");
  else if (epilogue.low != -kInfinity || epilogue.high != kInfinity)
    add(std::string(kClamp) + shortest(epilogue.low) + ":" + shortest(epilogue.high));
  return text.empty() ? "none" : text;
}

}  // namespace tileplan
