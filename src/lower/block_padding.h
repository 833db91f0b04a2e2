// SPDX-License-Identifier: Apache-2.0
// Finds the zeros at the end of the last channel block that no call of a microkernel writes.
#pragma once

#include "computation.h"

namespace tileplan {

/// Describes `lanes` elements at the end of each of `pixels` neighbouring blocks of `block`, from
/// element `first` of each image on. Everything is zero when the calls write the whole output.
struct BlockPadding {
  std::int64_t images = 0, image_stride = 0, first = 0;
  std::int64_t pixels = 0, block = 0, lanes = 0;
};

/// Returns the padding of an output whose last block several groups fill in part.
BlockPadding unwritten_padding(const Computation& computation, const TensorLayout& layout,
                               Dim vectorised);

/// Writes zeros in the padding. Number is float or double.
template <class Number>
void clear(const BlockPadding& padding, Number* output);

}  // namespace tileplan
