// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor are in memory.
#include <string>

#include "computation.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Stored sizes of an activation of a convolution, data dims [n, g, c, y, x]; `channels` are those
/// of one group.
struct Activation {
  std::int64_t batch, groups, channels, height, width;

  std::int64_t total_channels() const { return groups * channels; }
  std::int64_t pixels() const { return height * width; }
};

Activation activation_of(const TensorAccess& tensor) {
  return {tensor.data[0].extent, tensor.data[1].extent, tensor.data[2].extent,
          tensor.data[3].extent, tensor.data[4].extent};
}

/// Channels per block; 0 for layouts without blocks.
std::int64_t block_of(Layout layout) {
  if (layout == Layout::nChw16c) return 16;
  return layout == Layout::nChw8c ? 8 : 0;
}

/// Elements from one row of a gemm operand to the next; otherwise the length of the last data dim.
std::int64_t row_pitch(const Computation& computation, Operand operand) {
  const auto* gemm = std::get_if<GemmShape>(&computation.problem);
  if (gemm == nullptr)
    return computation.tensors[static_cast<std::size_t>(operand)].data.back().extent;
  if (operand == Operand::input) return gemm->lda;
  return operand == Operand::weights ? gemm->ldb : gemm->ldc;
}

TensorLayout row_major(const Computation& computation, Operand operand) {
  const std::vector<DataDim>& data = computation.tensors[static_cast<std::size_t>(operand)].data;
  TensorLayout layout{std::vector<AxisLayout>(data.size()), 1};
  for (std::size_t i = data.size(); i-- > 0;) {
    layout.axes[i].stride = layout.elements;
    const bool last = i + 1 == data.size();
    const std::int64_t length = last ? row_pitch(computation, operand) : data[i].extent;
    if (multiply_overflows(layout.elements, length, layout.elements))
      throw Error("layout: " + computation.tensors[static_cast<std::size_t>(operand)].name +
                  " has more than 2^63 - 1 elements; must not");
  }
  return layout;
}

TensorLayout channels_last(const Activation& a) {
  const std::int64_t all = a.total_channels();
  return {{{.stride = a.pixels() * all},
           {.stride = a.channels},
           {.stride = 1},
           {.stride = a.width * all},
           {.stride = all}},
          a.batch * a.pixels() * all};
}

/// Channel g * channels + c sits in block (g * channels + c) / block. The split over g and c is
/// exact when a group is whole blocks, or a block is whole groups (depthwise: a block is `block`
/// groups of one channel).
TensorLayout blocked(const Activation& a, std::int64_t block) {
  const std::int64_t outer = a.pixels() * block,
                     image = round_up(a.total_channels(), block) * a.pixels();
  AxisLayout group{.stride = ceil_div(a.channels, block) * outer};
  AxisLayout channel{.stride = 1, .block = block, .outer = outer};
  if (a.groups > 1 && a.channels < block) {
    group = {.stride = a.channels, .block = block / a.channels, .outer = outer};
    channel = {.stride = 1};
  }
  return {{{.stride = image}, group, channel, {.stride = a.width * block}, {.stride = block}},
          a.batch * image};
}

void require_whole_blocks(const Activation& a, Layout layout) {
  const std::int64_t block = block_of(layout);
  if (a.groups > 1 && a.channels % block != 0 && block % a.channels != 0)
    throw Error("layout: " + to_string(layout) + " with " + std::to_string(a.groups) +
                " groups of " + std::to_string(a.channels) +
                " channels; the channels of a group must be a multiple or a divisor of " +
                std::to_string(block));
}

}  // namespace

TensorLayout layout_of(const Computation& computation, Operand operand, Layout layout) {
  if (layout == Layout::plain) return row_major(computation, operand);
  const TensorAccess& tensor = computation.tensors[static_cast<std::size_t>(operand)];
  if (!std::holds_alternative<ConvShape>(computation.problem) || operand == Operand::weights)
    throw Error("layout: " + tensor.name + " is " + to_string(layout) +
                "; must be plain, other layouts are of the activations of a convolution");
  if (layout == Layout::nchw) return row_major(computation, operand);
  const Activation activation = activation_of(tensor);
  if (layout == Layout::nhwc) return channels_last(activation);
  require_whole_blocks(activation, layout);
  return blocked(activation, block_of(layout));
}

}  // namespace tileplan
