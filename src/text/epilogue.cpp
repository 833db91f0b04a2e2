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

struct Sum {
  std::string_view word;
  bool Epilogue::*part;
};
constexpr std::array<Sum, 3> kSums{
    {{"accumulate", &Epilogue::accumulate}, {"bias", &Epilogue::bias}, {"add", &Epilogue::add}}};

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

void read_word(std::string_view word, Epilogue& epilogue) {
  const auto* const sum = std::ranges::find(kSums, word, &Sum::word);
  if (sum != kSums.end())
    epilogue.*sum->part = true;
  else if (word == "relu")
    epilogue.low = 0;
  else if (word.starts_with(kClamp))
    read_clamp(word, epilogue);
  else
    refuse(word, "must be accumulate, bias, add, relu or clamp=LOW:HIGH");
}

/// Returns the position of `word` in the order in which the parts are applied. Requires that
/// read_word() accepts `word`.
std::size_t place_of(std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(kSums, word, &Sum::word) - kSums.begin());
}

void check_order(std::string_view word, std::string_view last) {
  if (last.empty() || place_of(word) > place_of(last)) return;
  if (place_of(word) < place_of(last))
    refuse(word, "stands after " + quoted(last) +
                     "; parts must be in the order in which they are applied: accumulate, bias, "
                     "add, then relu or clamp=LOW:HIGH");
  refuse(word, word == last ? "each part may be given once"
                            : "only one of relu and clamp=LOW:HIGH may be given");
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
  for (const Sum& sum : kSums)
    if (epilogue.*sum.part) add(std::string(sum.word));
  const bool relu = epilogue.low == 0 && !std::signbit(epilogue.low) && epilogue.high == kInfinity;
  if (relu)
    add("relu");
  else if (epilogue.low != -kInfinity || epilogue.high != kInfinity)
    add(std::string(kClamp) + shortest(epilogue.low) + ":" + shortest(epilogue.high));
  return text.empty() ? "none" : text;
}

}  // namespace tileplan
