// SPDX-License-Identifier: Apache-2.0
// The words for the choices of a plan, on the command line, in files and in certificates.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tileplan/plan.h"

namespace tileplan {

template <class Value, std::size_t count>
using Names = std::array<std::pair<Value, const char*>, count>;

constexpr Names<LayoutChoice, 4> kLayoutChoices{{{LayoutChoice::any, "any"},
                                                 {LayoutChoice::nhwc, "nhwc"},
                                                 {LayoutChoice::nchw, "nchw"},
                                                 {LayoutChoice::blocked, "blocked"}}};
constexpr Names<Capacity, 3> kCapacities{
    {{Capacity::ideal, "ideal"}, {Capacity::lru2, "lru2"}, {Capacity::ways, "ways"}}};
constexpr Names<Regime, 3> kRegimes{
    {{Regime::hot, "hot"}, {Regime::cold_weights, "cold-weights"}, {Regime::all_cold, "all-cold"}}};
constexpr Names<Verdict, 4> kVerdicts{{{Verdict::unmeasured, "unmeasured"},
                                       {Verdict::decided, "decided"},
                                       {Verdict::tied, "tied"},
                                       {Verdict::undecided, "undecided"}}};

/// The word for `value`; empty for a value that is none of the type's.
template <class Value, std::size_t count>
std::string name_in(const Names<Value, count>& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "";
}

/// The value that is called `text`; nothing when none is.
template <class Value, std::size_t count>
std::optional<Value> find_in(const Names<Value, count>& names, std::string_view text) {
  for (const auto& [value, name] : names)
    if (text == name) return value;
  return std::nullopt;
}

/// Example: "ideal, lru2 or ways".
template <class Value, std::size_t count>
std::string list_of(const Names<Value, count>& names) {
  std::string list = names.front().second;
  for (std::size_t i = 1; i < count; ++i)
    list += (i + 1 == count ? " or " : ", ") + std::string(names[i].second);
  return list;
}

}  // namespace tileplan
