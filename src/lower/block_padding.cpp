// SPDX-License-Identifier: Apache-2.0
// Microkernel calls write the padding of a block that belongs to one group if the block is a single
// vector. Several groups share a block if a block has more channels than a group, and no call
// writes the padding of such a block unless vectors hold groups.
#include "block_padding.h"

#include <algorithm>

#include "integers.h"

namespace tileplan {
namespace {

// These are the positions of the indices of an activation tensor.
constexpr std::size_t kImages = 0, kGroups = 1, kChannels = 2, kFirstPixels = 3;

}  // namespace

BlockPadding unwritten_padding(const Computation& computation, const TensorLayout& layout,
                               Dim vectorised) {
  const TensorAccess& output = computation.tensor(Operand::output);
  if (layout.axes.size() <= kFirstPixels || layout.axes[kGroups].block == 0) return {};
  const std::int64_t channels = output.data[kGroups].extent * output.data[kChannels].extent;
  const std::int64_t block = layout.axes[kGroups].block * output.data[kChannels].extent;
  if (is_present(output.data[kGroups], vectorised) || channels % block == 0) return {};
  BlockPadding padding{.images = output.data[kImages].extent,
                       .image_stride = layout.axes[kImages].stride,
                       .first = channels / block * layout.axes[kGroups].outer + channels % block,
                       .pixels = 1,
                       .block = block,
                       .lanes = block - channels % block};
  for (std::size_t d = kFirstPixels; d < output.data.size(); ++d)
    padding.pixels *= output.data[d].extent;
  return padding;
}

template <class Number>
void clear(const BlockPadding& padding, Number* output) {
  for (std::int64_t image = 0; image < padding.images; ++image)
    for (std::int64_t pixel = 0; pixel < padding.pixels; ++pixel)
      std::fill_n(output + image * padding.image_stride + padding.first + pixel * padding.block,
                  padding.lanes, Number{0});
}

template void clear(const BlockPadding&, float*);
template void clear(const BlockPadding&, double*);

}  // namespace tileplan
