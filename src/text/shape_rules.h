// SPDX-License-Identifier: Apache-2.0
// These functions check the sizes of a problem, and compute the sizes of one convolution axis, the
// number of operations, and how matrices are stored.
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
/// none fits, the stride is below 1, or a size exceeds 2^63 - 1.
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

/// These functions throw Error if a size is invalid, sizes contradict each other, a tensor has more
/// than 2^57 bytes, or there are more than 2^63 - 1 operations. The message has the benchdnn key or
/// the quantity, its value and the rule.
void check_shape(const ConvShape& shape);
void check_shape(const GemmShape& shape);

}  // namespace tileplan
