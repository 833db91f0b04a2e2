// SPDX-License-Identifier: Apache-2.0
// A table of names gives a word to each value of an enumeration.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tileplan/error.h"
#include "words.h"

namespace tileplan {

template <class Value, std::size_t count>
using Names = std::array<std::pair<Value, const char*>, count>;

/// Returns the word for `value`, or an empty text when `value` is a number without a name that was
/// cast to the enumeration.
template <class Value, std::size_t count>
std::string name_in(const Names<Value, count>& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "";
}

/// Returns the value that `text` names, or nothing when there is none.
template <class Value, std::size_t count>
std::optional<Value> find_in(const Names<Value, count>& names, std::string_view text) {
  for (const auto& [value, name] : names)
    if (text == name) return value;
  return std::nullopt;
}

/// Returns the words as a list such as "ideal, lru2 or ways".
template <class Value, std::size_t count>
std::string list_of(const Names<Value, count>& names) {
  std::string list = names.front().second;
  for (std::size_t i = 1; i < count; ++i)
    list += (i + 1 == count ? " or " : ", ") + std::string(names[i].second);
  return list;
}

/// Returns the value that `text` names. If there is none, throws Error with `what`, `text`, the
/// known words and, if one of them is similar to `text`, the word that was probably meant.
template <class Value, std::size_t count>
Value parse_name(const Names<Value, count>& names, const std::string& what,
                 const std::string& text) {
  if (const auto value = find_in(names, text)) return *value;
  std::vector<std::string> words;
  for (const auto& [known, name] : names) words.emplace_back(name);
  throw Error(what + ": '" + text + "'; must be " + list_of(names) + meant_text(text, words));
}

}  // namespace tileplan
