// SPDX-License-Identifier: Apache-2.0
// This file counts characters, brackets and names before isl reads a text.
#include "isl_limits.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr std::size_t kMostCharacters = 10'000, kMostNames = 100;
constexpr int kMostLevels = 8;

int levels_of(std::string_view text) {
  int level = 0, deepest = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') deepest = std::max(deepest, ++level);
    if (c == ')' || c == ']' || c == '}') --level;
  }
  return deepest;
}

std::size_t count_names(std::string_view text) {
  const auto is_first = [](char c) { return is_letter(c) || c == '_'; };
  const auto is_part = [&](char c) { return is_first(c) || is_digit(c) || c == '\''; };
  std::set<std::string_view> names;
  for (const auto* at = text.begin(); at != text.end();) {
    const auto* const begin = std::find_if(at, text.end(), is_part);
    at = std::find_if_not(begin, text.end(), is_part);
    if (begin != at && !is_digit(*begin)) names.emplace(begin, at);
  }
  return names.size();
}

void check_count(const char* what, std::size_t count, const char* unit, std::size_t most) {
  if (count > most)
    throw Error("relation: " + std::string(what) + " has " + std::to_string(count) + ' ' + unit +
                "; must have at most " + std::to_string(most));
}

}  // namespace

void check_isl_limits(const char* what, const std::string& text) {
  check_count(what, text.size(), "characters", kMostCharacters);
  check_count(what, static_cast<std::size_t>(levels_of(text)), "levels of brackets", kMostLevels);
  check_count(what, count_names(text), "names", kMostNames);
}

}  // namespace tileplan
