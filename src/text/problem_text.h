// SPDX-License-Identifier: Apache-2.0
// Each kind of problem has its reader and writer, which see trimmed text without options.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "descriptor.h"
#include "tileplan/problem.h"

namespace tileplan {

std::span<const Key> conv_keys();
std::span<const Key> gemm_keys();

/// Throw Error with the wrong value and the rule; the caller adds the text itself.
ConvShape read_conv(std::string_view text);
GemmShape read_gemm(std::string_view text);
Relation read_relation(std::string_view text);

std::string text_of(const Relation& relation);

/// Returns the option in front of a problem of `type` in canonical text: nothing for f32.
std::string type_prefix(ElementType type);

/// Returns the problem text of the layer called `name` in the embedded tables.
std::optional<std::string> layer_text(std::string_view name);

std::string layer_table_names();

}  // namespace tileplan
