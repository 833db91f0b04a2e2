// SPDX-License-Identifier: Apache-2.0
// A benchdnn descriptor may give only some sizes of a convolution axis; this file deduces the
// others.
#pragma once

#include "descriptor.h"

namespace tileplan {

/// Holds the sizes of one axis as the text gives them. `gaps` is the dilation of benchdnn, which is
/// 0 for dense filters.
struct AxisText {
  std::string letter;
  std::optional<std::int64_t> in, out, filter, stride, gaps, pad, pad_after;

  bool is_empty() const { return !in && !out && !filter && !stride && !gaps && !pad && !pad_after; }
};

/// Returns the sizes whose keys in `descriptor` end in `letter`.
AxisText axis_text(const Descriptor& descriptor, const std::string& letter);

/// Copies to each axis the sizes that only the other axis has. If `ph` is given without `ah`, `aw`
/// is not copied. The output size is copied only when all other sizes are equal. If they differ and
/// only one axis has an output size, throws Error when neither axis has padding.
void share_entries(AxisText& height, AxisText& width);

/// Returns the axis, completed as in benchdnn. Throws Error with the key and the rule if a size is
/// missing or too large, or sizes contradict one another.
Axis resolve_axis(const AxisText& text);

}  // namespace tileplan
