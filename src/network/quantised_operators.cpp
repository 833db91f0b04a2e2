// SPDX-License-Identifier: Apache-2.0
// This file computes QuantizeLinear and DequantizeLinear in any layout, DynamicQuantizeLinear, and
// casts of s32 to f32, in loops that compilers vectorise.
#include <algorithm>

#include "fast_operators.h"
#include "quantised.h"
#include "vectorised.h"

namespace tileplan {
namespace {

/// Holds the scales and zero points of channels, and the position of each channel in memory.
struct Channels {
  ChannelBlocks view = {};
  std::vector<float> scales = {};
  std::vector<std::int32_t> points = {};  ///< There is one zero point for each scale.

  /// Calls row(first, count, channel) for all elements at once if there is one scale, and for each
  /// element otherwise.
  template <class Row>
  TILEPLAN_VECTORISED inline void for_each_row(const Row& row) const {
    if (scales.size() == 1) return row(std::int64_t{0}, view.elements(), std::size_t{0});
    const std::int64_t blocks = view.images * view.blocks;
    for (std::int64_t block = 0; block < blocks; ++block)
      for (std::int64_t p = 0; p < view.plane; ++p)
        for (std::int64_t i = 0; i < view.inner; ++i)
          row((block * view.plane + p) * view.inner + i, std::int64_t{1},
              static_cast<std::size_t>(block % view.blocks * view.inner + i));
  }
};

Channels channels_of(const NodeView& node, Layout layout) {
  const std::vector<double> scales = *node.reals_at(1);
  const std::vector<double> points = node.reals_at(2).value_or(std::vector<double>{0});
  Channels channels;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    channels.scales.push_back(static_cast<float>(scales[i]));
    channels.points.push_back(static_cast<std::int32_t>(points[points.size() == 1 ? 0 : i]));
  }
  const Extents& shape = node.shape(0);
  if (scales.size() == 1)
    channels.view.inner = elements_of(shape);
  else
    channels.view = channel_blocks(shape, layout, node.axis(node.integer("axis", 1), shape.size()));
  return channels;
}

template <class Number>
Operation quantise_operation(Channels channels) {
  return vectorised([channels = std::move(channels)](const StepTensors& t) TILEPLAN_VECTORISED {
    const float* const from = t.in[0];
    auto* const to = reinterpret_cast<Number*>(t.out[0]);
    channels.for_each_row([&](std::int64_t first, std::int64_t count, std::size_t channel)
                              TILEPLAN_VECTORISED {
                                const float scale = channels.scales[channel];
                                const std::int32_t point = channels.points[channel];
                                for (std::int64_t i = first; i < first + count; ++i)
                                  to[i] = quantised<Number>(from[i] / scale, point);
                              });
  });
}

template <class Number>
Operation dequantise_operation(Channels channels) {
  return vectorised([channels = std::move(channels)](const StepTensors& t) TILEPLAN_VECTORISED {
    const auto* const from = reinterpret_cast<const Number*>(t.in[0]);
    float* const to = t.out[0];
    channels.for_each_row(
        [&](std::int64_t first, std::int64_t count, std::size_t channel) TILEPLAN_VECTORISED {
          const float scale = channels.scales[channel];
          const std::int32_t point = channels.points[channel];
          for (std::int64_t i = first; i < first + count; ++i)
            to[i] = static_cast<float>(static_cast<std::int32_t>(from[i]) - point) * scale;
        });
  });
}

Operation dynamic_operation(const NodeView& node) {
  return vectorised([count = elements_of(node.shape(0))](const StepTensors& t) TILEPLAN_VECTORISED {
    const float* const from = t.in[0];
    const DynamicScale chosen = dynamic_scale(from, count);
    auto* const to = reinterpret_cast<std::uint8_t*>(t.out[0]);
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = quantised<std::uint8_t>(from[i] / chosen.scale, chosen.zero_point);
    if (t.out[1]) *t.out[1] = chosen.scale;
    if (t.out[2]) *reinterpret_cast<std::uint8_t*>(t.out[2]) = chosen.zero_point;
  });
}

Operation quantisation_operation(const NodeView& node, Layout layout) {
  const bool to_bytes = node.kind() == "QuantizeLinear";
  const std::string type =
      to_bytes ? node.has_input(2) ? node.input(2).type : "u8" : node.input(0).type;
  Channels channels = channels_of(node, layout);
  if (to_bytes)
    return type == "u8" ? quantise_operation<std::uint8_t>(std::move(channels))
                        : quantise_operation<std::int8_t>(std::move(channels));
  if (type == "s32") return dequantise_operation<std::int32_t>(std::move(channels));
  return type == "u8" ? dequantise_operation<std::uint8_t>(std::move(channels))
                      : dequantise_operation<std::int8_t>(std::move(channels));
}

/// Returns the operation that converts a tensor of s32 to f32.
Operation cast_operation(const NodeView& node) {
  return [count = elements_of(node.out_shape())](const StepTensors& t) {
    const auto* const from = reinterpret_cast<const std::int32_t*>(t.in[0]);
    std::transform(from, from + count, t.out[0],
                   [](std::int32_t x) { return static_cast<float>(x); });
  };
}

}  // namespace

Operation integer_operation(const NodeView& node, Layout layout) {
  const std::string& kind = node.kind();
  if (is_quantisation(kind)) return quantisation_operation(node, layout);
  if (kind == "DynamicQuantizeLinear" && node.node().outputs.size() == 3)
    return dynamic_operation(node);
  if (kind == "Cast" && node.input(0).type == "s32" && node.text("type", "") == "f32")
    return cast_operation(node);
  throw NotUnderstood{"a " + kind + " of this form cannot be run"};
}

}  // namespace tileplan
