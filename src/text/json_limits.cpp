// SPDX-License-Identifier: Apache-2.0
// Brackets are counted before the JSON library reads the text, because the library copies and
// writes nested values recursively.
#include "json_limits.h"

#include <algorithm>
#include <string>

#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 24;
// Files that tileplan writes have far fewer levels of nested lists and objects.
constexpr int kMostLevels = 64;

int levels_of(std::string_view text) {
  int level = 0, deepest = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_inside && c == '\\') ++i;  // An escaped quote does not end the string.
    if (c == '"') is_inside = !is_inside;
    if (is_inside) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++level);
    if (c == ']' || c == '}') --level;
  }
  return deepest;
}

}  // namespace

void check_json_limits(std::string_view text) {
  if (text.size() > kMostBytes)
    throw Error("JSON of " + std::to_string(text.size()) + " bytes; must have at most " +
                std::to_string(kMostBytes));
  if (levels_of(text) > kMostLevels)
    throw Error("JSON nested deeper than " + std::to_string(kMostLevels) +
                " levels; must be nested less");
}

}  // namespace tileplan
