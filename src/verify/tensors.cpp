// SPDX-License-Identifier: Apache-2.0
// Offsets per axis are tabulated, so that blocks cost nothing in the loops.
#include "tensors.h"

#include <algorithm>
#include <vector>

namespace tileplan {

namespace {

struct AxisOffsets {
  std::vector<std::int64_t> from, to;
};

struct Copy {
  std::vector<AxisOffsets> axes;
  const float* source = nullptr;
  float* target = nullptr;

  void run(std::size_t axis, std::int64_t from, std::int64_t to) const {
    const AxisOffsets& offsets = axes[axis];
    for (std::size_t i = 0; i < offsets.from.size(); ++i) {
      if (axis + 1 == axes.size()) {
        target[to + offsets.to[i]] = source[from + offsets.from[i]];
      } else {
        run(axis + 1, from + offsets.from[i], to + offsets.to[i]);
      }
    }
  }
};

}  // namespace

void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const float> source,
              const TensorLayout& to, std::span<float> target) {
  std::fill(target.begin(), target.end(), 0.0F);
  Copy copy{.axes = {}, .source = source.data(), .target = target.data()};
  for (std::size_t a = 0; a < tensor.data.size(); ++a) {
    AxisOffsets& offsets = copy.axes.emplace_back();
    for (std::int64_t i = 0; i < tensor.data[a].extent; ++i) {
      offsets.from.push_back(from.axes[a].offset(i));
      offsets.to.push_back(to.axes[a].offset(i));
    }
  }
  copy.run(0, 0, 0);
}

}  // namespace tileplan
