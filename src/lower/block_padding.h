// SPDX-License-Identifier: Apache-2.0
// Finds the padding at the end of the last channel block that no microkernel call writes.
#pragma once

#include "computation.h"

namespace tileplan {

/// Describes `lanes` elements at the end of each of `pixels` contiguous blocks of `block` elements,
/// from element `first` of each image on. All fields are 0 when the calls write all elements.
struct BlockPadding {
  std::int64_t images = 0, image_stride = 0, first = 0;
  std::int64_t pixels = 0, block = 0, lanes = 0;
};

/// Returns the padding of an output whose last block is partly filled by several groups.
BlockPadding unwritten_padding(const Computation& computation, const TensorLayout& layout,
                               Dim vectorised);

/// Writes zeros in the padding. Number is float or double.
template <class Number>
void clear(const BlockPadding& padding, Number* output);

}  // namespace tileplan
