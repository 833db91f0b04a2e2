// SPDX-License-Identifier: Apache-2.0
// One axis of a convolution as a benchdnn descriptor gives it, and the sizes that follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "descriptor.h"
#include "tileplan/problem.h"

namespace tileplan {

/// What a descriptor says about one axis. `gaps` is benchdnn's dilation, 0 for a dense filter.
struct AxisText {
  std::string letter;
  std::optional<std::int64_t> in, out, filter, stride, gaps, pad, pad_after;

  /// True when nothing is said.
  bool is_empty() const { return !in && !out && !filter && !stride && !gaps && !pad && !pad_after; }
};

/// The entries of `descriptor` whose keys end in `letter`.
AxisText axis_text(const Descriptor& descriptor, const std::string& letter);

/// Gives each axis what only the other one has, but for `aw` beside a `ph`, which goes with the
/// width alone. Throws Error when an output size would have to be guessed.
void share(AxisText& height, AxisText& width);

/// The axis with benchdnn's deductions. Throws Error, naming the key, the value and the rule.
Axis resolved(const AxisText& text);

}  // namespace tileplan
