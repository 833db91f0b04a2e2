// SPDX-License-Identifier: Apache-2.0
// This file computes results in plain loops, with sums of real numbers that are more precise than
// those of kernels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "computation.h"
#include "dims.h"
#include "reader.h"

namespace tileplan {

struct Operands {
  TensorView input, weights;
};

/// Returns the exact integer `sum` modulo 2^32 in the range of s32, because kernels add in this
/// type.
inline double wrapped(double sum) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(sum))));
}

/// Returns the sums of all outputs in the layout `output`, with zeros in padding and gaps. Sums are
/// computed in double for f32, bf16 and f16, in long double for f64, and exactly modulo 2^32 for
/// integers. The caller applies epilogues and converts the sums to the type of the output. Throws
/// Error when an operand does not have the size of its layout.
std::vector<double> reference(const Computation& computation, const Operands& operands,
                              const TensorLayout& output);

/// Names one output by the values of its iterators, which are 0 for reduction dimensions, and by
/// its position in the tensor.
struct OutputPoint {
  Tile iterators;
  std::size_t offset = 0;
};

/// Returns the sums at `points` as precisely as reference() does.
/// Requires that no two iterations of the output dimensions write the same element. Throws Error as
/// reference() does.
std::vector<double> expected_at(const Computation& computation, const Operands& operands,
                                std::span<const OutputPoint> points);

}  // namespace tileplan
