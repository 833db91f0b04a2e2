// SPDX-License-Identifier: Apache-2.0
// The loops that sum channels are so simple that compilers translate them to vector instructions.
#include "input_sums.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "output_conversion.h"

namespace tileplan {
namespace {

/// Describes channels whose elements are contiguous.
struct ChannelRun {
  std::int64_t group = 0;  ///< The first channel belongs to this group.
  std::int64_t offset = 0, count = 0;
};

/// Divides the channels into runs. Runs end with their group, unless each group has one channel.
std::vector<ChannelRun> channel_runs(const ChannelSums& plan) {
  const std::int64_t each = std::ssize(plan.channels) / plan.groups;
  std::vector<ChannelRun> runs;
  for (std::int64_t c = 0; c < std::ssize(plan.channels); ++c) {
    const std::int64_t offset = plan.channels[static_cast<std::size_t>(c)];
    const bool joins = !runs.empty() && (each == 1 || c % each != 0) &&
                       offset == runs.back().offset + runs.back().count;
    if (joins)
      ++runs.back().count;
    else
      runs.push_back({.group = c / each, .offset = offset, .count = 1});
  }
  return runs;
}

/// Adds the elements of `run` in the pixel at `pixel` to the sums of this pixel.
template <class Number>
[[gnu::always_inline]] inline void add_run(const ChannelRun& run, bool one_channel,
                                           const Number* pixel, std::int32_t* sums) {
  const Number* const from = pixel + run.offset;
  if (one_channel) {
    for (std::int64_t c = 0; c < run.count; ++c) add_to(sums[run.group + c], bits_of(from[c]));
    return;
  }
  std::uint32_t sum = 0;
  for (std::int64_t c = 0; c < run.count; ++c) sum += bits_of(from[c]);
  add_to(sums[run.group], sum);
}

/// Adds the elements of an image in the pixels of `range` to `sums`.
template <class Number>
[[gnu::always_inline]] inline void add_pixels(const ChannelSums& plan,
                                              const std::vector<ChannelRun>& runs,
                                              const Number* image, std::int32_t* sums,
                                              TaskRange range) {
  const bool one_channel = std::ssize(plan.channels) == plan.groups;
  for (std::int64_t p = range.first; p < range.last; ++p)
    for (const ChannelRun& run : runs)
      add_run(run, one_channel, image + plan.pixels[static_cast<std::size_t>(p)],
              sums + p * plan.groups);
}

/// Does the same as add_pixels() if there is one group and the pixels of each channel are
/// contiguous.
template <class Number>
[[gnu::always_inline]] inline void add_planes(const ChannelSums& plan, const Number* image,
                                              std::int32_t* sums, TaskRange range) {
  for (const std::int64_t channel : plan.channels) {
    const Number* const from = image + plan.pixels.front() + channel;
    for (std::int64_t p = range.first; p < range.last; ++p) add_to(sums[p], bits_of(from[p]));
  }
}

template <class Number>
[[gnu::always_inline]] inline void sum_pixels(const ChannelSums& plan, const Number* input,
                                              std::int32_t* sums, TaskRange range) {
  const std::vector<ChannelRun> runs = channel_runs(plan);
  const std::int64_t pixels = std::ssize(plan.pixels);
  const bool has_planes = plan.groups == 1 && runs.size() == plan.channels.size() &&
                          plan.pixels.back() - plan.pixels.front() == pixels - 1;
  std::fill(sums + range.first * plan.groups, sums + range.last * plan.groups, 0);
  for (std::int64_t at = range.first; at < range.last;) {
    const std::int64_t image = at / pixels, first = at % pixels;
    const TaskRange part{.first = first, .last = std::min(pixels, first + range.last - at)};
    const Number* const from = input + plan.images[static_cast<std::size_t>(image)];
    std::int32_t* const to = sums + image * pixels * plan.groups;
    has_planes ? add_planes(plan, from, to, part) : add_pixels(plan, runs, from, to, part);
    at += part.last - part.first;
  }
}

[[gnu::always_inline]] inline void sum_elements(const ChannelSums& plan, const char* input,
                                                std::int32_t* sums, TaskRange range) {
  if (plan.type == ElementType::u8)
    sum_pixels(plan, reinterpret_cast<const std::uint8_t*>(input), sums, range);
  else
    sum_pixels(plan, reinterpret_cast<const std::int8_t*>(input), sums, range);
}

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void sum_avx512(const ChannelSums& plan,
                                                                      const char* input,
                                                                      std::int32_t* sums,
                                                                      TaskRange range) {
  sum_elements(plan, input, sums, range);
}

[[gnu::target("avx2")]] void sum_avx2(const ChannelSums& plan, const char* input,
                                      std::int32_t* sums, TaskRange range) {
  sum_elements(plan, input, sums, range);
}

/// Calls add(p) for each input pixel p that taps inside the input read for the output pixel
/// `pixel`.
template <class Add>
void for_each_tap(const WindowSets& sets, std::int64_t pixel, const Add& add) {
  const auto& [depth, height, width] =
      std::tie(sets.directions[0], sets.directions[1], sets.directions[2]);
  const std::int64_t w = pixel % width.axis.out, h = pixel / width.axis.out % height.axis.out,
                     d = pixel / width.axis.out / height.axis.out;
  const auto range = [](const WindowSets::Direction& direction, std::int64_t out) {
    return direction.ranges[direction.of_output[static_cast<std::size_t>(out)]];
  };
  const auto place = [](const Axis& axis, std::int64_t out, std::int64_t tap) {
    return out * axis.stride + tap * axis.dilation - axis.pad_before;
  };
  const WindowSets::Range ts = range(depth, d), rs = range(height, h), ss = range(width, w);
  for (std::int64_t t = ts.first; t < ts.last; ++t)
    for (std::int64_t r = rs.first; r < rs.last; ++r) {
      const std::int64_t row =
          (place(depth.axis, d, t) * height.axis.in + place(height.axis, h, r)) * width.axis.in;
      for (std::int64_t s = ss.first; s < ss.last; ++s) add(row + place(width.axis, w, s));
    }
}

}  // namespace

void sum_channels(const ChannelSums& plan, const char* input, std::int32_t* sums, TaskRange range) {
  has_avx512() ? sum_avx512(plan, input, sums, range) : sum_avx2(plan, input, sums, range);
}

void sum_windows(const ZeroPoints& zero_points, const std::int32_t* channel_sums,
                 std::int32_t* window_sums, TaskRange range) {
  const std::int64_t groups = zero_points.channel_sums.groups;
  const std::int64_t input_pixels = std::ssize(zero_points.channel_sums.pixels);
  for (std::int64_t at = range.first; at < range.last; ++at) {
    const std::int64_t image = at / zero_points.output_pixels,
                       pixel = at % zero_points.output_pixels;
    std::int32_t* const to = window_sums + at * groups;
    std::fill_n(to, groups, 0);
    const auto add = [&](std::int64_t from_pixel) {
      const std::int32_t* const from = channel_sums + (image * input_pixels + from_pixel) * groups;
      for (std::int64_t g = 0; g < groups; ++g) add_to(to[g], bits_of(from[g]));
    };
    if (zero_points.sets.of_pixel.empty())
      add(pixel);  // In a matrix product, the window of an output row is one row of the input.
    else
      for_each_tap(zero_points.sets, pixel, add);
  }
}

}  // namespace tileplan
