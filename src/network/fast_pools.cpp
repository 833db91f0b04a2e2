// SPDX-License-Identifier: Apache-2.0
// This file computes pools. The innermost loops run over channels where these are contiguous, and
// over pixels otherwise.
#include <algorithm>
#include <limits>

#include "elementwise.h"
#include "fast_operators.h"
#include "operators.h"
#include "vectorised.h"

namespace tileplan {
namespace {

/// Holds the half-open range of outputs for which a filter tap lies inside the input. Output o of
/// this range reads index o * stride + shift.
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

  /// Returns the coordinate after the last one that is read, or at most `first` if none is read.
  std::int64_t end(std::int64_t dilation) const { return first + (count - 1) * dilation + 1; }
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
    // A window in the padding alone reads nothing, and may begin outside the input.
    range.first = std::clamp<std::int64_t>(range.first, 0, axis.in);
    ranges.push_back(range);
  }
  return ranges;
}

/// Holds the sizes of a pool. Pools with contiguous pixels use `row_taps` and `column_taps`, and
/// pools with contiguous channels use `rows` and `columns`.
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

/// Adds two numbers of an average pool. The sum is divided by the number of taps later.
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

/// Prefetches one cache line of each pixel that lies in the first `stride` rows below the window
/// and in the first `stride` columns of the window. The outputs of the next row read these rows.
/// Neighbouring outputs prefetch the other columns. The function assumes that the window has no
/// dilation.
TILEPLAN_VECTORISED inline void prefetch_below(const Pool& pool, const ReadRange& rows,
                                               const ReadRange& columns, const float* in) {
  const float* below =
      in + ((rows.first + rows.count) * pool.width.in + columns.first) * pool.in.inner;
  for (std::int64_t y = 0; y < pool.height.stride; ++y)
    for (std::int64_t x = 0; x < pool.width.stride; ++x)
      __builtin_prefetch(below + (y * pool.width.in + x) * pool.in.inner);
}

/// Computes one row of outputs of one block of channels of a max pool. It first finds the largest
/// element of each column of the windows, and then the largest one of the columns of each window.
/// Meanwhile it prefetches the inputs of the next row of outputs. Returns false if a window has too
/// many columns, or if the row of outputs reads only padding.
template <int Lanes>
TILEPLAN_VECTORISED inline bool max_row(const Pool& pool, std::int64_t h, const float* in,
                                        float* out) {
  constexpr std::int64_t kHeld = 4096;  // The L1 cache holds these 16 KiB beside the input.
  float largest[kHeld];
  const Larger larger;
  const std::int64_t inner = pool.in.inner, held = kHeld / inner;
  const std::int64_t step = pool.width.dilation, reach = (pool.width.filter - 1) * step + 1;
  const ReadRange& rows = pool.rows[static_cast<std::size_t>(h)];
  if (reach > held || rows.count == 0) return false;
  const std::int64_t row_step = pool.height.dilation * pool.width.in * inner;
  for (std::size_t w = 0; w < pool.columns.size();) {
    // With dilation, a window can begin before that of the output before it.
    std::int64_t first = pool.columns[w].first, last = first;
    std::size_t end = w;
    for (; end < pool.columns.size(); ++end) {
      const std::int64_t low = std::min(first, pool.columns[end].first);
      const std::int64_t high = std::max(last, pool.columns[end].end(step));
      if (high - low > held) break;
      first = low;
      last = high;
    }
    const std::int64_t count = (last - first) * inner;
    const float* row = in + (rows.first * pool.width.in + first) * inner;
    const float* second = row + (rows.count > 1 ? row_step : 0);
    for (std::int64_t i = 0; i < count; ++i) largest[i] = larger(row[i], second[i]);
    for (std::int64_t y = 2; y < rows.count; ++y) {
      const float* next = row + y * row_step;
      for (std::int64_t i = 0; i < count; ++i) largest[i] = larger(largest[i], next[i]);
    }
    for (; w < end; ++w, out += inner)
      for (std::int64_t c = 0; c < inner; c += Lanes) {
        const std::int64_t at = std::min(c, inner - Lanes);
        prefetch_below(pool, rows, pool.columns[w], in + at);
        __builtin_prefetch(out + pool.width.out * inner + at, 1);
        pool_channels<Lanes>(
            pool, {.first = 0, .count = 1},
            {.first = pool.columns[w].first - first, .count = pool.columns[w].count}, largest + at,
            out + at, larger);
      }
  }
  return true;
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
      if constexpr (Lanes > 1)
        if (max_row<Lanes>(pool, h, from, out)) continue;
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

}  // namespace tileplan
