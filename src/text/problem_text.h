// SPDX-License-Identifier: Apache-2.0
// The text forms of the single kinds of problems. Text has no white space at its ends and no
// options.
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

/// Throw Error: the offending value and the rule, without the text itself.
ConvShape read_conv(std::string_view text);
GemmShape read_gemm(std::string_view text);
Relation read_relation(std::string_view text);

/// A relation without its type.
std::string text_of(const Relation& relation);

/// What precedes a problem of `type` in canonical text: nothing for f32.
std::string type_prefix(ElementType type);

/// Problem text of the layer called `name` in the embedded tables.
std::optional<std::string> layer_text(std::string_view name);

/// Names of the embedded tables, separated by commas.
std::string layer_table_names();

}  // namespace tileplan
