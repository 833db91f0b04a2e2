// SPDX-License-Identifier: Apache-2.0
// Messages show texts from users, which may be long or contain terminal control characters.
#pragma once

#include <string>
#include <string_view>

namespace tileplan {

/// Returns `text` if it has at most `most` bytes. Otherwise returns about `most` bytes of its start
/// and its end, joined by " ... ", because messages give the rule at the end. Characters of UTF-8
/// are not split.
std::string shortened(std::string_view text, std::size_t most = 600);

/// Returns `text` if it has at most `length` bytes. Otherwise replaces its start by "...", so that
/// `length` bytes remain, because names of nodes differ at their ends. Requires a length of at
/// least 3.
std::string end_of(const std::string& text, std::size_t length);

/// Returns true when `text` is valid UTF-8, without surrogates and overlong sequences.
bool is_utf8(std::string_view text);

/// Returns `text` with a question mark in place of each invalid byte and of each control character,
/// including those of C1. Tabs and line feeds are kept.
std::string printable(std::string_view text);

}  // namespace tileplan
