// SPDX-License-Identifier: Apache-2.0
// This file finds padding in the last channel block of the output that no microkernel call writes.
#pragma once

#include "computation.h"

namespace tileplan {

/// Describes the padding of channel blocks in `images` images, which begin `image_stride` elements
/// apart. In each image, `lanes` elements from element `first` on are padding, and this repeats for
/// `pixels` pixels at distances of `block` elements. All fields are 0 when there is no padding.
struct BlockPadding {
  std::int64_t images = 0, image_stride = 0, first = 0;
  std::int64_t pixels = 0, block = 0, lanes = 0;
};

/// Returns the padding that microkernel calls do not write, because a block has room for several
/// groups.
BlockPadding unwritten_padding(const Computation& computation, const TensorLayout& layout,
                               Dim vectorised);

/// Writes zeros to the padding of `output`. Number is float or double.
template <class Number>
void clear(const BlockPadding& padding, Number* output);

}  // namespace tileplan
