// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products are written as descriptors, which are keys with numbers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "tileplan/problem.h"

namespace tileplan {

/// Names a key of a descriptor and the smallest number that may follow it.
struct Key {
  std::string_view name;
  std::int64_t least = 1;
};

struct Descriptor {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::string name;  ///< This is the NAME of n"NAME", or empty.

  std::optional<std::int64_t> find(std::string_view key) const;
};

/// Returns `number`, the entry of `key`. Throws Error when the entry is missing.
std::int64_t required(const std::optional<std::int64_t>& number, std::string_view key);

/// Returns the key that `text` starts with, which is its leading letters.
std::string_view leading_key(std::string_view text);

/// Reads "mb1ic64ih56..." with an optional name n"NAME" at the end. Throws Error for unknown or
/// repeated keys and for wrong numbers.
Descriptor read_descriptor(std::string_view text, std::span<const Key> keys);

/// `text` is what follows the leading options, and `type` is what they ask for.
struct Typed {
  std::string_view text;
  ElementType type = ElementType::f32;
};

/// Splits the leading benchdnn options ("--dt=f64") off `text`. Throws Error for other options.
Typed take_options(std::string_view text);

}  // namespace tileplan
