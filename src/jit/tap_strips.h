// SPDX-License-Identifier: Apache-2.0
// This file chooses the taps of a depthwise convolution that one instruction multiplies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "microkernel_spec.h"

namespace tileplan {

/// Lists strips that a kernel makes of single elements. A group holds the numbers of the reduction
/// steps whose weights form one strip. A strip of the input holds the elements that a pixel reads
/// in these steps. Several pixels can read one strip.
struct TapStrips {
  static constexpr std::size_t kMost = 4;
  /// An element with this offset is zero.
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  /// Holds the offsets of the elements of a strip, in bytes.
  using Sources = std::array<std::int64_t, kMost>;
  struct Use {
    std::size_t pixel = 0, group = 0;
  };
  std::vector<std::vector<std::size_t>> groups;
  /// Maps each strip to the pixels and groups that multiply it.
  std::map<Sources, std::vector<Use>> strips;
};

/// Returns the strips of up to `most` elements for `steps`, whose pixels have the offsets `pixels`.
/// The steps of a group are equally far apart, at the distance that needs the fewest strips. If the
/// pixels are neighbours in a row and the filter has several rows, this distance is mostly a row of
/// the input. With `counts_padding`, pixels in padding read strips of zeros. Example: 14 pixels of
/// a row and 3x3 taps have 16 strips of 3 elements.
TapStrips join_taps(const std::vector<UnrolledStep>& steps, const std::vector<std::int64_t>& pixels,
                    std::size_t most, bool counts_padding);

}  // namespace tileplan
