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

template <class Number>
struct Copy {
  std::vector<AxisOffsets> axes;
  const Number* source = nullptr;
  Number* target = nullptr;

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

template <class Number>
void place(const TensorAccess& tensor, const TensorLayout& from, std::span<const Number> source,
           const TensorLayout& to, std::span<Number> target) {
  std::fill(target.begin(), target.end(), Number{0});
  Copy<Number> copy{.axes = {}, .source = source.data(), .target = target.data()};
  for (std::size_t a = 0; a < tensor.data.size(); ++a) {
    AxisOffsets& offsets = copy.axes.emplace_back();
    for (std::int64_t i = 0; i < tensor.data[a].extent; ++i) {
      offsets.from.push_back(from.axes[a].offset(i));
      offsets.to.push_back(to.axes[a].offset(i));
    }
  }
  copy.run(0, 0, 0);
}

}  // namespace

void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const float> source,
              const TensorLayout& to, std::span<float> target) {
  place(tensor, from, source, to, target);
}

void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const double> source,
              const TensorLayout& to, std::span<double> target) {
  place(tensor, from, source, to, target);
}

void relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
              const TensorLayout& to, Buffer& target) {
  with_element(source.type(), [&](auto zero) {
    using Number = decltype(zero);
    place(tensor, from, source.span<Number>(), to, target.span<Number>());
  });
}

}  // namespace tileplan
