// SPDX-License-Identifier: Apache-2.0
// This file corrects the sums of kernels whose input or weights have zero points.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "output_conversion.h"
#include "tileplan/kernel.h"
#include "window_sets.h"

namespace tileplan {

/// Sums are modulo 2^32, so they are computed as unsigned numbers.
inline std::uint32_t bits_of(std::int32_t value) { return static_cast<std::uint32_t>(value); }

inline void add_to(std::int32_t& sum, std::uint32_t value) {
  sum = static_cast<std::int32_t>(bits_of(sum) + value);
}

/// Tells how the elements of the input are summed over channels, one sum per pixel and group. The
/// offset of an element is the sum of one offset of each list, in elements.
struct ChannelSums {
  ElementType type = ElementType::u8;
  std::int64_t groups = 1;
  std::vector<std::int64_t> images = {}, pixels = {},
                            /// `channels` holds the offsets of the channels of all groups.
      channels = {};

  std::int64_t sums() const { return std::ssize(images) * std::ssize(pixels) * groups; }
};

/// Tells which zero points a kernel has, and which sums of the input the corrections need.
struct ZeroPoints {
  bool of_input = false, of_weights = false;
  WindowSets sets = {};
  ChannelSums channel_sums = {};   ///< Only zero points of the weights need these sums.
  std::int64_t output_pixels = 1;  ///< An image, or a matrix of a product, has this many pixels.

  /// Returns true when corrections of one channel differ from pixel to pixel, so that the loops
  /// cannot add them to all pixels.
  bool differ_by_pixel() const { return of_weights || (of_input && sets.count > 1); }
  /// Returns the number of sums over the windows of all output pixels.
  std::int64_t input_sums() const {
    return std::ssize(channel_sums.images) * output_pixels * channel_sums.groups;
  }
};

/// Returns the zero points that `quantisation` names for the tensors of `elements`, whose input has
/// the layout `input`.
ZeroPoints zero_points_of(const Computation& elements, const TensorLayout& input,
                          const Quantisation& quantisation);

/// Returns the zero points and the sums of weights that are packed together with `weights`, which
/// have the plain layout. Throws Error when the number of `given` does not fit `granularity`, or
/// their type is not that of the weights.
PackedZeroPoints pack_zero_points(const Computation& elements, const ZeroPoints& zero_points,
                                  const ConstElements& weights, const ConstElements& given,
                                  Granularity granularity);

/// Holds the numbers that corrections of one run need.
struct SumCorrections {
  const ZeroPoints& plan;
  const PackedZeroPoints& packed;
  std::int32_t input_zero_point = 0;
  /// If the weights have zero points, sum_windows() of input_sums.h computed these sums.
  const std::int32_t* input_sums = nullptr;
};

/// Adds the corrections that differ from pixel to pixel to the sums of the rows in `range`.
void correct_sums(const SumCorrections& corrections, const OutputRows& rows, std::int32_t* sums,
                  TaskRange range);

}  // namespace tileplan
