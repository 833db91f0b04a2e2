// SPDX-License-Identifier: Apache-2.0
// A benchdnn descriptor describes an axis of a convolution in part; the rest is deduced.
#pragma once

#include "descriptor.h"

namespace tileplan {

/// Holds the entries of one axis. `gaps` is the dilation of benchdnn, which is 0 for dense filters.
struct AxisText {
  std::string letter;
  std::optional<std::int64_t> in, out, filter, stride, gaps, pad, pad_after;

  bool is_empty() const { return !in && !out && !filter && !stride && !gaps && !pad && !pad_after; }
};

/// Returns the entries of `descriptor` whose keys end in `letter`.
AxisText axis_text(const Descriptor& descriptor, const std::string& letter);

/// Copies to each axis the entries that only the other one has, but no `aw` when `ph` is given.
void share_entries(AxisText& height, AxisText& width);

/// Returns the axis with benchdnn's deductions. Throws Error with the key, its value and the rule.
Axis resolve_axis(const AxisText& text);

}  // namespace tileplan
