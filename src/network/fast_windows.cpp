// SPDX-License-Identifier: Apache-2.0
// This file computes pools, means, local response normalisation and products without a kernel. The
// innermost loops run over channels where these are contiguous, and over pixels otherwise.
#include <algorithm>
#include <cmath>
#include <limits>

#include "elementwise.h"
#include "fast_operators.h"
#include "moves.h"
#include "operators.h"
#include "vectorised.h"

namespace tileplan {
namespace {

/// Holds the range of outputs for which a filter tap lies inside the input. Output o reads index o
/// * stride + shift there.
struct TapRange {
  std::int64_t first = 0, last = 0, shift = 0;
};

TapRange range_of(const Axis& axis, std::int64_t tap) {
  const std::int64_t shift = tap * axis.dilation - axis.pad_before;
  const std::int64_t last = axis.in - 1 - shift;
  return {.first = shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride,
          .last = last < 0 ? 0 : std::min(axis.out, last / axis.stride + 1),
          .shift = shift};
}

/// Holds the coordinates that one output reads along an axis: `count` of them from `first` on, one
/// dilation apart.
struct ReadRange {
  std::int64_t first = 0, count = 0;
};

std::vector<ReadRange> read_ranges(const Axis& axis) {
  std::vector<ReadRange> ranges;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const std::int64_t start = o * axis.stride - axis.pad_before;
    ReadRange range{.first = start};
    for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
      const std::int64_t at = start + tap * axis.dilation;
      if (at < 0) range.first = at + axis.dilation;
      range.count += at >= 0 && at < axis.in;
    }
    ranges.push_back(range);
  }
  return ranges;
}

/// Holds the sizes of a pool. Pools in nchw use the outputs that read each tap, and those of other
/// layouts the inputs that each output reads.
struct Pool {
  ChannelBlocks in, out;
  Axis height, width;
  std::vector<TapRange> row_taps = {}, column_taps = {};
  std::vector<ReadRange> rows = {}, columns = {};
  std::vector<float> row_counts = {}, column_counts = {};
};

/// Returns the larger of two numbers. If one of them is NaN, the result is NaN.
struct Larger {
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  TILEPLAN_VECTORISED float operator()(float a, float b) const { return a >= b || a != a ? a : b; }
};

/// Returns the sum of two numbers of an average pool.
struct Sum {
  static constexpr float kStart = 0;
  TILEPLAN_VECTORISED float operator()(float a, float b) const { return a + b; }
};

/// Computes one row of outputs of one channel, whose neighbouring pixels are contiguous.
template <class Combine>
TILEPLAN_VECTORISED inline void pool_plane_row(const Pool& pool, std::int64_t h, const float* in,
                                               float* out, const Combine& combine) {
  std::fill_n(out, pool.width.out, Combine::kStart);
  for (const TapRange& row : pool.row_taps) {
    if (h < row.first || h >= row.last) continue;
    const float* from = in + (h * pool.height.stride + row.shift) * pool.width.in;
    for (const TapRange& columns : pool.column_taps) {
      const std::int64_t stride = pool.width.stride;
      const float* read = from + columns.first * stride + columns.shift;
      for (std::int64_t w = columns.first; w < columns.last; ++w, read += stride)
        out[w] = combine(out[w], *read);
    }
  }
}

/// Computes `Lanes` channels of one output.
template <int Lanes, class Combine>
TILEPLAN_VECTORISED inline void pool_channels(const Pool& pool, const ReadRange& rows,
                                              const ReadRange& columns, const float* in, float* out,
                                              const Combine& combine) {
  // The pragmas keep compilers from unrolling these loops instead of vectorising them.
  float sums[Lanes];
#pragma omp simd
  for (int i = 0; i < Lanes; ++i) sums[i] = Combine::kStart;
  const std::int64_t step = pool.width.dilation * pool.in.inner,
                     row_step = pool.height.dilation * pool.width.in * pool.in.inner;
  const float* row = in + (rows.first * pool.width.in + columns.first) * pool.in.inner;
  for (std::int64_t y = 0; y < rows.count; ++y, row += row_step) {
    const float* from = row;
    for (std::int64_t x = 0; x < columns.count; ++x, from += step)
#pragma omp simd
      for (int i = 0; i < Lanes; ++i) sums[i] = combine(sums[i], from[i]);
  }
#pragma omp simd
  for (int i = 0; i < Lanes; ++i) out[i] = sums[i];
}

/// Computes one row of outputs of one block of channels. The last vector of channels overlaps the
/// one before it if the block has no whole number of vectors.
template <int Lanes, class Combine>
TILEPLAN_VECTORISED inline void pool_row(const Pool& pool, std::int64_t h, const float* in,
                                         float* out, const Combine& combine) {
  const std::int64_t inner = pool.in.inner;
  const ReadRange& rows = pool.rows[static_cast<std::size_t>(h)];
  for (const ReadRange& columns : pool.columns) {
    for (std::int64_t c = 0; c < inner; c += Lanes) {
      const std::int64_t at = std::min(c, inner - Lanes);
      pool_channels<Lanes>(pool, rows, columns, in + at, out + at, combine);
    }
    out += inner;
  }
}

TILEPLAN_VECTORISED inline void divide_row(const Pool& pool, std::int64_t h, float* out) {
  const float rows = pool.row_counts[static_cast<std::size_t>(h)];
  for (std::int64_t w = 0; w < pool.width.out; ++w) {
    const float scale = 1 / (rows * pool.column_counts[static_cast<std::size_t>(w)]);
    for (std::int64_t i = 0; i < pool.out.inner; ++i) out[w * pool.out.inner + i] *= scale;
  }
}

template <int Lanes, class Combine>
TILEPLAN_VECTORISED inline void pool_any_row(const Pool& pool, std::int64_t h, const float* in,
                                             float* out, const Combine& combine) {
  if constexpr (Lanes > 1)
    pool_row<Lanes>(pool, h, in, out, combine);
  else if (pool.in.inner == 1)
    pool_plane_row(pool, h, in, out, combine);
  else
    pool_row<1>(pool, h, in, out, combine);
}

template <int Lanes>
TILEPLAN_VECTORISED inline void run_pool(const Pool& pool, bool is_max, const StepTensors& t) {
  const std::int64_t row = pool.width.out * pool.out.inner;
  const std::int64_t rows = pool.in.images * pool.in.blocks * pool.height.out;
  const TaskRange share = t.share(rows);
  for (std::int64_t i = share.first; i < share.last; ++i) {
    const std::int64_t block = i / pool.height.out, h = i % pool.height.out;
    const float* from = t.in[0] + block * pool.in.plane * pool.in.inner;
    float* out = t.out[0] + i * row;
    if (is_max) {
      pool_any_row<Lanes>(pool, h, from, out, Larger{});
      continue;
    }
    pool_any_row<Lanes>(pool, h, from, out, Sum{});
    divide_row(pool, h, out);
  }
}

}  // namespace

std::vector<float> tap_counts(const Axis& axis, bool counts_padding) {
  std::vector<float> counts;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
      const std::int64_t at = o * axis.stride - axis.pad_before + tap * axis.dilation;
      count += (at >= 0 && at < axis.in) || (counts_padding && at < axis.in + axis.pad_after);
    }
    counts.push_back(static_cast<float>(count));
  }
  return counts;
}

Operation pool_operation(const NodeView& node, Layout layout) {
  std::vector<Axis> axes = windows_of(node, pool_window(node));
  if (axes.size() == 1) axes.insert(axes.begin(), Axis{});
  const bool counts_padding = node.integer("count_include_pad", 0) != 0;
  Pool pool{.in = channel_blocks(node.shape(0), layout),
            .out = channel_blocks(node.out_shape(), layout),
            .height = axes[0],
            .width = axes[1],
            .rows = read_ranges(axes[0]),
            .columns = read_ranges(axes[1]),
            .row_counts = tap_counts(axes[0], counts_padding),
            .column_counts = tap_counts(axes[1], counts_padding)};
  for (std::int64_t tap = 0; tap < axes[0].filter; ++tap)
    pool.row_taps.push_back(range_of(axes[0], tap));
  for (std::int64_t tap = 0; tap < axes[1].filter; ++tap)
    pool.column_taps.push_back(range_of(axes[1], tap));
  const bool is_max = node.kind() == "MaxPool";
  return vectorised([pool, is_max](const StepTensors& t) TILEPLAN_VECTORISED {
    constexpr int kWide = 16, kNarrow = 8;
    if (pool.in.inner >= kWide) return run_pool<kWide>(pool, is_max, t);
    if (pool.in.inner >= kNarrow) return run_pool<kNarrow>(pool, is_max, t);
    run_pool<1>(pool, is_max, t);
  });
}

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

/// Holds the numbers of a local response normalisation.
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
  /// C moves by these numbers of elements per row and per column of the result.
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
  // An omitted input at the end has a null pointer, so the list of inputs always has the same
  // length.
  return vectorised([product, count = node.inputs()](const StepTensors& t) TILEPLAN_VECTORISED {
    const float* in[4] = {};
    std::copy_n(t.in, std::min<std::size_t>(count, 4), in);
    for (std::int64_t row = 0; row < product.sizes.batches * product.sizes.m; ++row)
      product.run_row({in, t.out}, row);
  });
}

}  // namespace tileplan
