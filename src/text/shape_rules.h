// SPDX-License-Identifier: Apache-2.0
// What must hold for the sizes of a problem, and the arithmetic of one convolution axis.
#pragma once

#include <cstdint>
#include <optional>

#include "tileplan/problem.h"
#include "whole_numbers.h"

namespace tileplan {

/// Input elements from the first to the last tap: (filter - 1) * dilation + 1.
Exact filter_extent(const Axis& axis);

/// Zeros that the last window needs behind the input, so many as `axis.out` asks for:
/// (out - 1) * stride + filter extent - in - pad_before; negative when input is left over.
Exact padding_needed(const Axis& axis);

/// Outputs that fit between the paddings `axis.pad_before` and `pad_after`; nothing when the filter
/// does not fit once, or for sizes beyond 64 bits.
std::optional<std::int64_t> outputs_between(const Axis& axis, std::int64_t pad_after);

/// True when the zeros behind the input have to be written: benchdnn deduces them from the output's
/// size only where they are about those before it.
bool needs_pad_after(const ConvShape& shape);

/// 2 * multiply-adds.
Exact operations(const ConvShape& shape);
Exact operations(const GemmShape& shape);

/// Throw Error, naming the benchdnn key, the value and the rule.
void check_shape(const ConvShape& shape);
void check_shape(const GemmShape& shape);

}  // namespace tileplan
