// SPDX-License-Identifier: Apache-2.0
// This file computes means, local response normalisation and products without a kernel. The
// innermost loops of means over planes and of normalisation run over channels where these are
// contiguous, and over pixels otherwise.
#include <algorithm>
#include <cmath>

#include "elementwise.h"
#include "fast_operators.h"
#include "moves.h"
#include "operators.h"
#include "vectorised.h"

namespace tileplan {
namespace {

Operation plane_mean_operation(const NodeView& node, Layout layout) {
  const ChannelBlocks view = channel_blocks(node.shape(0), layout);
  return vectorised([view](const StepTensors& t) TILEPLAN_VECTORISED {
    const float* from = t.in[0];
    float* to = t.out[0];
    const float scale = 1 / static_cast<float>(view.plane);
    for (std::int64_t block = 0; block < view.images * view.blocks; ++block, to += view.inner) {
      std::fill_n(to, view.inner, 0.0F);
      for (std::int64_t p = 0; p < view.plane; ++p, from += view.inner)
        for (std::int64_t i = 0; i < view.inner; ++i) to[i] += from[i];
      for (std::int64_t i = 0; i < view.inner; ++i) to[i] *= scale;
    }
  });
}

void add_loops(const OffsetLoops& loops, std::size_t depth, const float* from, float* to) {
  const OffsetLoops::Loop& loop = loops.loops[depth];
  for (std::size_t i = 0; i < loop.from.size(); ++i)
    if (depth + 1 < loops.loops.size())
      add_loops(loops, depth + 1, from + loop.from[i], to + loop.to[i]);
    else
      to[loop.to[i]] += from[loop.from[i]];
}

}  // namespace

Operation mean_operation(const NodeView& node, Layout layout) {
  if (node.kind() == "GlobalAveragePool") return plane_mean_operation(node, layout);
  const Extents& shape = node.shape(0);
  const Extents kept = mean_shape(node);
  const Extents strides = row_major(kept);
  OffsetLoops loops;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    Extents to(static_cast<std::size_t>(shape[a]));
    for (std::size_t i = 0; i < to.size() && kept[a] > 1; ++i)
      to[i] = static_cast<std::int64_t>(i) * strides[a];
    loops.loops.push_back({.from = axis_offsets(shape, Layout::nchw, a), .to = std::move(to)});
  }
  if (loops.loops.empty()) loops.loops.push_back({.from = {0}, .to = {0}});
  const std::int64_t count = elements_of(kept);
  const std::int64_t terms = elements_of(shape) / std::max<std::int64_t>(1, count);
  const auto each = static_cast<float>(terms);
  return [loops, count, each](const StepTensors& t) {
    std::fill_n(t.out[0], count, 0.0F);
    add_loops(loops, 0, t.in[0], t.out[0]);
    for (std::int64_t i = 0; i < count; ++i) t.out[0][i] /= each;
  };
}

namespace {

/// Holds the first and the last channel that an output reads, relative to the channel of the
/// output.
struct Neighbours {
  std::int64_t first = 0, last = 0;
};

/// Holds the parameters of a local response normalisation. An output reads `before` channels before
/// its own channel and `after` channels after it. `scale` is alpha / (before + 1 + after), also
/// where some of these channels do not exist.
struct Normalisation {
  std::int64_t channels = 1, before = 0, after = 0;
  float scale = 0, beta = 0, bias = 0;

  /// Computes `count` outputs whose neighbouring channels are `step` elements apart. All channels
  /// in `neighbours` must exist.
  TILEPLAN_VECTORISED inline void run(const float* from, float* to, std::int64_t count,
                                      std::int64_t step, Neighbours neighbours) const {
    for (std::int64_t i = 0; i < count; ++i) to[i] = 0;
    for (std::int64_t near = neighbours.first; near <= neighbours.last; ++near)
      for (std::int64_t i = 0; i < count; ++i)
        to[i] += from[i + near * step] * from[i + near * step];
    constexpr float kUsual = 0.75F;
    if (beta != kUsual) {
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = from[i] * std::pow(bias + scale * to[i], -beta);
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const float root = std::sqrt(bias + scale * to[i]);
      to[i] = from[i] / (root * std::sqrt(root));
    }
  }

  Neighbours neighbours(std::int64_t c) const {
    return {.first = -std::min(before, c), .last = std::min(after, channels - 1 - c)};
  }
};

}  // namespace

Operation lrn_operation(const NodeView& node, Layout layout) {
  const ChannelBlocks view = channel_blocks(node.shape(0), layout);
  const std::int64_t size = node.integer("size", 1), channels = node.shape(0)[1];
  const Normalisation rule{
      .channels = channels,
      .before = (size - 1) / 2,
      .after = size / 2,
      .scale = static_cast<float>(node.real("alpha", 1e-4) / static_cast<double>(size)),
      .beta = static_cast<float>(node.real("beta", 0.75)),
      .bias = static_cast<float>(node.real("bias", 1))};
  if (layout == Layout::nchw)
    return vectorised([=](const StepTensors& t) TILEPLAN_VECTORISED {
      const TaskRange planes = t.share(view.images * channels);
      for (std::int64_t nc = planes.first; nc < planes.last; ++nc)
        rule.run(t.in[0] + nc * view.plane, t.out[0] + nc * view.plane, view.plane, view.plane,
                 rule.neighbours(nc % channels));
    });
  // Channels that are not close to the first or last one have all neighbours, so one loop computes
  // them.
  const std::int64_t start = std::min(rule.before, channels),
                     end = std::max(start, channels - rule.after);
  return vectorised([=](const StepTensors& t) TILEPLAN_VECTORISED {
    const TaskRange pixels = t.share(view.images * view.plane);
    for (std::int64_t p = pixels.first; p < pixels.last; ++p) {
      const float* from = t.in[0] + p * channels;
      float* to = t.out[0] + p * channels;
      for (std::int64_t c = 0; c < start; ++c) rule.run(from + c, to + c, 1, 1, rule.neighbours(c));
      rule.run(from + start, to + start, end - start, 1,
               {.first = -rule.before, .last = rule.after});
      for (std::int64_t c = end; c < channels; ++c)
        rule.run(from + c, to + c, 1, 1, rule.neighbours(c));
    }
  });
}

namespace {

/// Holds the sizes and factors of a product without a kernel.
struct LoopProduct {
  Product sizes = {};
  float alpha = 1, beta = 1;
  /// The addend C moves by these numbers of elements per row and per column of the result.
  std::int64_t step_i = 0, step_j = 0;
  Limits limits = {};

  /// Sets a row of results to the addends, before products are added.
  TILEPLAN_VECTORISED inline void start(const StepTensors& t, std::int64_t row) const {
    float* to = t.out[0] + row * sizes.n;
    std::fill_n(to, sizes.n, 0.0F);
    if (t.in[2]) {
      const float* c = t.in[2] + row % sizes.m * step_i;
      for (std::int64_t j = 0; j < sizes.n; ++j) to[j] += beta * c[j * step_j];
    }
    if (t.in[3])
      for (std::int64_t j = 0; j < sizes.n; ++j) to[j] += t.in[3][row * sizes.n + j];
  }

  TILEPLAN_VECTORISED inline void run_row(const StepTensors& t, std::int64_t row) const {
    start(t, row);
    float* to = t.out[0] + row * sizes.n;
    const float* b = t.in[1] + (sizes.b_in_batches ? row / sizes.m * sizes.k * sizes.n : 0);
    const std::int64_t step = sizes.b_transposed ? sizes.k : 1,
                       line = sizes.b_transposed ? 1 : sizes.n;
    const float* a = t.in[0] + (sizes.a_transposed ? row % sizes.m : row * sizes.k);
    for (std::int64_t k = 0; k < sizes.k; ++k) {
      const float left = alpha * a[sizes.a_transposed ? k * sizes.m : k];
      for (std::int64_t j = 0; j < sizes.n; ++j) to[j] += left * b[k * line + j * step];
    }
    for (std::int64_t j = 0; j < sizes.n; ++j) to[j] = limits.clamp(to[j]);
  }
};

}  // namespace

Operation product_operation(const NodeView& node) {
  const Extents c = node.has_input(2) ? node.shape(2) : Extents{};
  const LoopProduct product{.sizes = product_of(node),
                            .alpha = static_cast<float>(node.real("alpha", 1)),
                            .beta = static_cast<float>(node.real("beta", 1)),
                            .step_i = c.size() < 2 || c[0] == 1 ? 0 : c.back(),
                            .step_j = c.empty() || c.back() == 1 ? 0 : 1,
                            .limits = limits_of(node)};
  // A node may have fewer than four inputs. The pointers to the inputs that it lacks are null.
  return vectorised([product, count = node.inputs()](const StepTensors& t) TILEPLAN_VECTORISED {
    const float* in[4] = {};
    std::copy_n(t.in, std::min<std::size_t>(count, 4), in);
    for (std::int64_t row = 0; row < product.sizes.batches * product.sizes.m; ++row)
      product.run_row({in, t.out}, row);
  });
}

}  // namespace tileplan
