// SPDX-License-Identifier: Apache-2.0
// A descriptor writes a convolution or a matrix product as keys followed by numbers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "tileplan/problem.h"

namespace tileplan {

/// Names a key of a descriptor and the smallest number that may follow the key.
struct Key {
  std::string_view name;
  std::int64_t least = 1;
};

struct Descriptor {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::string name;  ///< Holds NAME if the descriptor ends in n"NAME" or nNAME, or is empty.

  std::optional<std::int64_t> find(std::string_view key) const;
};

/// Returns `number`, the value of `key`. Throws Error when the value is missing.
std::int64_t required(const std::optional<std::int64_t>& number, std::string_view key);

/// Returns the ASCII letters at the start of `text`, which form the first key of a descriptor.
std::string_view leading_key(std::string_view text);

/// Reads "mb1ic64ih56..." with an optional name n"NAME" at the end. The quotes may be left out if
/// `keys` has no key n. Underscores between the entries are ignored. Throws Error for text where a
/// key must stand, for keys that are unknown or repeated, for numbers that are malformed or below
/// Key::least, and for a name without its closing quote.
Descriptor read_descriptor(std::string_view text, std::span<const Key> keys);

/// Holds the text after the leading options, and the element types that the options select.
struct TextWithTypes {
  std::string_view text;
  TensorTypes types = {};
};

/// Splits leading benchdnn options ("--dt=f64") off `text`. Throws Error for unsupported options,
/// for element types that are unknown or that no kernel combines, and for options that select
/// different types.
TextWithTypes take_options(std::string_view text);

}  // namespace tileplan
