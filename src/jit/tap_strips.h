// SPDX-License-Identifier: Apache-2.0
// Chooses the taps of a depthwise convolution that one instruction multiplies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "microkernel_spec.h"

namespace tileplan {

/// Lists strips of single elements. A group holds the numbers of the reduction steps whose weights
/// make one strip, and a strip of the input holds the elements that a pixel reads in these steps.
/// Neighbouring pixels share strips.
struct TapStrips {
  static constexpr std::size_t kMost = 4;
  /// A strip has a zero in place of this offset.
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  /// Holds the offsets of the elements of a strip, in bytes.
  using Sources = std::array<std::int64_t, kMost>;
  struct Use {
    std::size_t pixel = 0, group = 0;
  };
  std::vector<std::vector<std::size_t>> groups;
  std::map<Sources, std::vector<Use>> strips;  ///< Each strip is multiplied for these pixels.
};

/// Returns the strips of up to `most` elements for `steps`, whose pixels have the offsets `pixels`.
/// Steps of a group are equally far apart, at the distance that needs the fewest strips: a row of
/// the input where pixels are neighbours in a row. With `counts_padding`, pixels have strips of
/// zeros for steps that they do not take part in. Example: 14 pixels of a row and 3x3 taps have 16
/// strips of 3 elements.
TapStrips join_taps(const std::vector<UnrolledStep>& steps, const std::vector<std::int64_t>& pixels,
                    std::size_t most, bool counts_padding);

}  // namespace tileplan
