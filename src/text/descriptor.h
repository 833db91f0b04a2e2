// SPDX-License-Identifier: Apache-2.0
// The lexical form that convolutions and matrix products share: keys followed by numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tileplan/problem.h"

namespace tileplan {

/// A key of a descriptor and the smallest number that may follow it.
struct Key {
  std::string_view name;
  std::int64_t least = 1;
};

struct Descriptor {
  std::map<std::string, std::int64_t, std::less<>> numbers;  ///< by key
  std::string name;                                          ///< what n"NAME" says, or empty

  bool has(std::string_view key) const { return numbers.contains(key); }
  std::optional<std::int64_t> find(std::string_view key) const;
  std::int64_t get_or(std::string_view key, std::int64_t otherwise) const;
  /// Throws Error when `key` was not given.
  std::int64_t required(std::string_view key) const;
};

/// The key that `text` starts with: its leading letters.
std::string_view leading_key(std::string_view text);

/// True when `key` is one of `keys`.
bool is_key(std::string_view key, std::span<const Key> keys);

/// Reads "mb1ic64ih56..."; `_` between entries is skipped, as benchdnn does. A last entry n"NAME"
/// is the name; where `n` is no key, nNAME is too. Throws Error: unknown or repeated keys, numbers
/// that are none, too large or too small.
Descriptor read_descriptor(std::string_view text, std::span<const Key> keys);

/// What stands behind options, and the type that they ask for.
struct Typed {
  std::string_view text;
  ElementType type = ElementType::f32;
};

/// `text` behind its leading benchdnn options ("--dt=f64 --dir=FWD_D"). Throws Error for options
/// that ask for anything but f32 or f64, forward, direct.
Typed without_options(std::string_view text);

}  // namespace tileplan
