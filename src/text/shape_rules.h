// SPDX-License-Identifier: Apache-2.0
// These functions check the sizes of a problem and compute the sizes of one convolution axis.
#pragma once

#include <optional>

#include "tileplan/problem.h"
#include "whole_numbers.h"

namespace tileplan {

/// Returns the number of inputs from the first to the last tap, (filter - 1) * dilation + 1.
Exact filter_extent(const Axis& axis);

/// Returns the number of zeros after the input that the last window reads. The result is negative
/// when input elements remain after the last window.
Exact padding_needed(const Axis& axis);

/// Returns the number of windows that fit with `pad_after` zeros after the input, or nothing when
/// none fits.
std::optional<std::int64_t> outputs_between(const Axis& axis, std::int64_t pad_after);

/// Returns true when the text must give `pad_after`, because on some axis the padding that the last
/// window needs after the input differs from `pad_before` by one stride or more.
bool needs_pad_after(const ConvShape& shape);

/// These functions return the number of operations, counting each multiply-add as two.
Exact operations(const ConvShape& shape);
Exact operations(const GemmShape& shape);

/// Describes how one matrix of a gemm is stored: `rows` rows of `columns` elements, whose starts
/// are `pitch` elements apart.
struct StoredMatrix {
  std::int64_t rows = 1, columns = 1, pitch = 1;
};

StoredMatrix stored_a(const GemmShape& shape);
StoredMatrix stored_b(const GemmShape& shape);
StoredMatrix stored_c(const GemmShape& shape);

/// These functions throw Error with the benchdnn key, its value and the rule if a size is invalid.
void check_shape(const ConvShape& shape);
void check_shape(const GemmShape& shape);

}  // namespace tileplan
