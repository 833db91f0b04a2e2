// SPDX-License-Identifier: Apache-2.0
// Let the input x have the zero point a, and the weights w the zero point b. Over the taps inside
// the input, sum((x - a)(w - b)) is then sum(x w) - a sum(w - b) - b sum(x). The second sum depends
// on the channel and the set of taps, and the third one on the pixel.
#include "zero_points.h"

#include <algorithm>
#include <string>

#include "element.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Returns the offsets of all elements along the axes `first` to `last` - 1 of a tensor. The index
/// of the last axis changes fastest.
std::vector<std::int64_t> offsets_of(const TensorAccess& tensor, const TensorLayout& layout,
                                     std::size_t first, std::size_t last) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t a = first; a < last; ++a) {
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(tensor.data[a].extent));
    for (const std::int64_t offset : offsets)
      for (std::int64_t i = 0; i < tensor.data[a].extent; ++i)
        next.push_back(offset + layout.axes[a].offset(i));
    offsets = std::move(next);
  }
  return offsets;
}

ChannelSums channel_sums_of(const Computation& elements, const TensorLayout& layout) {
  const TensorAccess& input = elements.tensor(Operand::input);
  const std::size_t dims = input.data.size();
  const auto* conv = std::get_if<ConvShape>(&elements.problem);
  ChannelSums sums{.type = input.type, .groups = conv ? conv->g : 1};
  if (conv) {
    sums.images = offsets_of(input, layout, 0, 1);
    sums.channels = offsets_of(input, layout, 1, 3);
    sums.pixels = offsets_of(input, layout, 3, dims);
  } else {
    const bool transposed = std::get<GemmShape>(elements.problem).ta;
    const std::size_t rows = transposed ? dims - 1 : dims - 2, k = transposed ? dims - 2 : dims - 1;
    sums.images = offsets_of(input, layout, 0, dims - 2);
    sums.pixels = offsets_of(input, layout, rows, rows + 1);
    sums.channels = offsets_of(input, layout, k, k + 1);
  }
  return sums;
}

/// Sums weights over boxes of taps. Each sum is computed from the sums of the boxes that begin at
/// tap 0.
class TapSums {
 public:
  explicit TapSums(const WindowSets& sets)
      : depth_(taps(sets, 0)),
        height_(taps(sets, 1)),
        width_(taps(sets, 2)),
        sums_(static_cast<std::size_t>((depth_ + 1) * (height_ + 1) * (width_ + 1))) {}

  /// Adds weights[channel][tap] - `zero_point` over the channels, and stores the sums of the boxes
  /// that begin at tap 0.
  template <class Number>
  void take(const Number* weights, std::int64_t channels, std::int32_t zero_point) {
    const std::int64_t all = depth_ * height_ * width_;
    for (std::int64_t tap = 0; tap < all; ++tap) {
      std::uint32_t sum = 0;
      for (std::int64_t c = 0; c < channels; ++c)
        sum += bits_of(static_cast<std::int32_t>(weights[c * all + tap]) - zero_point);
      const std::int64_t s = tap % width_, r = tap / width_ % height_, t = tap / width_ / height_;
      at(t + 1, r + 1, s + 1) = sum + at(t, r + 1, s + 1) + at(t + 1, r, s + 1) +
                                at(t + 1, r + 1, s) - at(t, r, s + 1) - at(t, r + 1, s) -
                                at(t + 1, r, s) + at(t, r, s);
    }
  }

  std::int32_t sum(WindowSets::Range t, WindowSets::Range r, WindowSets::Range s) {
    const auto plane = [&](std::int64_t d) {
      return at(d, r.last, s.last) - at(d, r.first, s.last) - at(d, r.last, s.first) +
             at(d, r.first, s.first);
    };
    return static_cast<std::int32_t>(plane(t.last) - plane(t.first));
  }

 private:
  static std::int64_t taps(const WindowSets& sets, std::size_t direction) {
    return sets.directions[direction].axis.filter;
  }
  std::uint32_t& at(std::int64_t t, std::int64_t r, std::int64_t s) {
    return sums_[static_cast<std::size_t>((t * (height_ + 1) + r) * (width_ + 1) + s)];
  }

  std::int64_t depth_, height_, width_;
  std::vector<std::uint32_t> sums_;
};

template <class Number>
std::vector<std::int32_t> conv_sums(const ConvShape& shape, const WindowSets& sets,
                                    const Number* weights,
                                    const std::vector<std::int32_t>& zero_points) {
  const std::int64_t channels = shape.c / shape.g;
  const auto& directions = sets.directions;
  TapSums taps(sets);
  std::vector<std::int32_t> sums(sets.count * static_cast<std::size_t>(shape.k));
  const std::int64_t each =
      channels * shape.depth.filter * shape.height.filter * shape.width.filter;
  for (std::int64_t k = 0; k < shape.k; ++k) {
    const auto channel = static_cast<std::size_t>(k);
    taps.take(weights + k * each, channels, zero_points.empty() ? 0 : zero_points[channel]);
    std::size_t set = channel;
    for (const WindowSets::Range t : directions[0].ranges)
      for (const WindowSets::Range r : directions[1].ranges)
        for (const WindowSets::Range s : directions[2].ranges) {
          sums[set] = taps.sum(t, r, s);
          set += static_cast<std::size_t>(shape.k);
        }
  }
  return sums;
}

/// Returns, for each column of `batches` matrices, the sum of weight - zero point over its weights.
/// If all products of a batch share B, there is one matrix.
template <class Number>
std::vector<std::int32_t> product_sums(const GemmShape& shape, std::int64_t batches,
                                       const Number* weights,
                                       const std::vector<std::int32_t>& zero_points) {
  std::vector<std::int32_t> sums(static_cast<std::size_t>(batches * shape.n));
  const std::int64_t matrix = shape.sb.value_or((shape.tb ? shape.n : shape.k) * shape.ldb);
  const std::int64_t row = shape.tb ? 1 : shape.ldb, column = shape.tb ? shape.ldb : 1;
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t k = 0; k < shape.k; ++k)
      for (std::int64_t j = 0; j < shape.n; ++j) {
        const std::int32_t zero_point =
            zero_points.empty() ? 0 : zero_points[static_cast<std::size_t>(j)];
        const Number weight = weights[b * matrix + k * row + j * column];
        add_to(sums[static_cast<std::size_t>(b * shape.n + j)], bits_of(weight - zero_point));
      }
  return sums;
}

std::vector<std::int32_t> expanded(const ConstElements& given, std::size_t channels) {
  std::vector<std::int32_t> all(channels);
  with_element(given.type(), [&](auto zero) {
    using Number = decltype(zero);
    const auto* const numbers = reinterpret_cast<const Number*>(given.data());
    for (std::size_t k = 0; k < channels; ++k)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): s8 must keep its sign.
      all[k] = static_cast<std::int32_t>(number_of(numbers[given.size() == 1 ? 0 : k]));
  });
  return all;
}

void require_zero_points(const ConstElements& given, ElementType type, std::size_t expected) {
  if (given.size() != expected)
    throw Error("zero points of the weights: " + std::to_string(given.size()) +
                " numbers; this kernel takes " + std::to_string(expected));
  if (expected > 0 && given.type() != type)
    throw Error("zero points of the weights: " + to_string(given.type()) + "; this kernel takes " +
                to_string(type));
}

/// Corrects contiguous sums of one pixel or of one channel. The loops are written such that
/// compilers vectorise them.
class Corrector {
 public:
  Corrector(const SumCorrections& corrections, std::int64_t channels)
      : corrections_(corrections),
        plan_(corrections.plan),
        channels_(static_cast<std::size_t>(channels)),
        group_channels_(channels / plan_.channel_sums.groups),
        images_(std::ssize(plan_.channel_sums.images)) {}

  /// Corrects the sums of `count` channels from `first` on in pixel `pixel` of `image`.
  [[gnu::always_inline]] void correct_pixel(std::int64_t image, std::int64_t pixel,
                                            std::int64_t first, std::int32_t* sums,
                                            std::int64_t count) const {
    if (const std::size_t set = differ_at_border() ? set_of(pixel) : 0; set != 0) {
      const std::int32_t* const all = corrections_.packed.window_sums.data() + first;
      const std::int32_t* const some = all + set * channels_;
      const std::uint32_t point = input_point();
      for (std::int64_t c = 0; c < count; ++c)
        add_to(sums[c], point * (bits_of(all[c]) - bits_of(some[c])));
    }
    if (!plan_.of_weights) return;
    const std::int32_t* const points = corrections_.packed.weights.data() + first;
    const std::int32_t* const windows = windows_of(image) + pixel * plan_.channel_sums.groups;
    if (group_channels_ == 1) {
      for (std::int64_t c = 0; c < count; ++c)
        add_to(sums[c], -(bits_of(points[c]) * bits_of(windows[first + c])));
      return;
    }
    for (std::int64_t c = 0; c < count;) {
      const std::int64_t group = (first + c) / group_channels_;
      const std::int64_t end = std::min(count, (group + 1) * group_channels_ - first);
      const std::uint32_t window = bits_of(windows[group]);
      for (; c < end; ++c) add_to(sums[c], -(bits_of(points[c]) * window));
    }
  }

  /// Corrects the sums of one channel in the first `count` pixels of `image`.
  [[gnu::always_inline]] void correct_plane(std::int64_t image, std::int64_t channel,
                                            std::int32_t* sums, std::int64_t count) const {
    if (differ_at_border()) {
      const std::int32_t* const all = corrections_.packed.window_sums.data() + channel;
      const std::uint32_t point = input_point(), whole = bits_of(*all);
      for (std::int64_t p = 0; p < count; ++p)
        add_to(sums[p], point * (whole - bits_of(all[set_of(p) * channels_])));
    }
    if (!plan_.of_weights) return;
    const std::int64_t groups = plan_.channel_sums.groups;
    const std::int32_t* const windows = windows_of(image) + channel / group_channels_;
    const std::uint32_t point =
        bits_of(corrections_.packed.weights[static_cast<std::size_t>(channel)]);
    for (std::int64_t p = 0; p < count; ++p)
      add_to(sums[p], -(point * bits_of(windows[p * groups])));
  }

 private:
  /// Returns true when the correction by sum(w - b) differs between pixels, because some taps lie
  /// outside the input at its borders.
  bool differ_at_border() const { return plan_.of_input && plan_.sets.count > 1; }
  /// Returns the number of the set of taps that lie inside the input for this output pixel. Set 0
  /// has all taps.
  std::size_t set_of(std::int64_t pixel) const {
    return plan_.sets.of_pixel[static_cast<std::size_t>(pixel)];
  }
  std::uint32_t input_point() const { return bits_of(corrections_.input_zero_point); }
  /// Returns the sums over the windows of the pixels of `image`. If all products of a batch share
  /// A, they use the sums of the first image.
  const std::int32_t* windows_of(std::int64_t image) const {
    const std::int64_t own = image < images_ ? image : image % images_;
    return corrections_.input_sums + own * plan_.output_pixels * plan_.channel_sums.groups;
  }

  const SumCorrections& corrections_;
  const ZeroPoints& plan_;
  const std::size_t channels_;
  const std::int64_t group_channels_, images_;
};

[[gnu::always_inline]] inline void correct_rows(const SumCorrections& corrections,
                                                const OutputRows& rows, std::int32_t* sums,
                                                TaskRange range) {
  const Corrector corrector(corrections, rows.channels);
  const std::int64_t pixels = corrections.plan.output_pixels;
  RowWalk walk(rows, range.first);
  for (std::int64_t row = range.first; row < range.last; ++row, walk.advance()) {
    const std::int64_t first = walk.first_channel(), pixel = walk.pixel();
    if (rows.one_channel)
      corrector.correct_plane(pixel, first, sums + walk.start(), walk.real_length());
    else
      corrector.correct_pixel(pixel / pixels, pixel % pixels, first, sums + walk.start(),
                              walk.real_length());
  }
}

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void correct_avx512(
    const SumCorrections& corrections, const OutputRows& rows, std::int32_t* sums,
    TaskRange range) {
  correct_rows(corrections, rows, sums, range);
}

[[gnu::target("avx2")]] void correct_avx2(const SumCorrections& corrections, const OutputRows& rows,
                                          std::int32_t* sums, TaskRange range) {
  correct_rows(corrections, rows, sums, range);
}

}  // namespace

ZeroPoints zero_points_of(const Computation& elements, const TensorLayout& input,
                          const Quantisation& quantisation) {
  ZeroPoints points{.of_input = quantisation.input_zero_point,
                    .of_weights = quantisation.weights_zero_points != Granularity::none};
  if (!points.of_input && !points.of_weights) return points;
  if (const auto* conv = std::get_if<ConvShape>(&elements.problem)) {
    points.sets = window_sets(*conv);
    points.output_pixels = std::ssize(points.sets.of_pixel);
  } else {
    points.output_pixels = std::get<GemmShape>(elements.problem).m;
  }
  if (!points.of_weights) return points;
  points.channel_sums = channel_sums_of(elements, input);
  // If the rows of all matrices of a batch form one dimension, they count as rows of one matrix.
  if (std::holds_alternative<GemmShape>(elements.problem))
    points.output_pixels = std::ssize(points.channel_sums.pixels);
  return points;
}

PackedZeroPoints pack_zero_points(const Computation& elements, const ZeroPoints& zero_points,
                                  const ConstElements& weights, const ConstElements& given,
                                  Granularity granularity) {
  const auto channels = static_cast<std::size_t>(bias_layout(elements).elements);
  require_zero_points(given, weights.type(),
                      granularity == Granularity::none     ? 0
                      : granularity == Granularity::tensor ? 1
                                                           : channels);
  PackedZeroPoints packed;
  if (zero_points.of_weights) packed.weights = expanded(given, channels);
  if (!zero_points.of_input) return packed;
  const std::int64_t batches =
      bias_layout(elements, true).elements / static_cast<std::int64_t>(channels);
  with_element(weights.type(), [&](auto zero) {
    using Number = decltype(zero);
    const auto* const numbers = reinterpret_cast<const Number*>(weights.data());
    if constexpr (!kIsReal<Number>) {
      if (const auto* conv = std::get_if<ConvShape>(&elements.problem))
        packed.window_sums = conv_sums(*conv, zero_points.sets, numbers, packed.weights);
      else
        packed.window_sums =
            product_sums(std::get<GemmShape>(elements.problem), batches, numbers, packed.weights);
    }
  });
  return packed;
}

void correct_sums(const SumCorrections& corrections, const OutputRows& rows, std::int32_t* sums,
                  TaskRange range) {
  has_avx512() ? correct_avx512(corrections, rows, sums, range)
               : correct_avx2(corrections, rows, sums, range);
}

}  // namespace tileplan
