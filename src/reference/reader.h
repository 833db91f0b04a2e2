// SPDX-License-Identifier: Apache-2.0
// Reading tensors through their access relations, and walking over iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffers.h"
#include "computation.h"
#include "dims.h"

namespace tileplan {

/// A tensor as a kernel sees it: elements in memory and where each index goes.
struct TensorView {
  Values values;  ///< `layout.elements` of them
  TensorLayout layout;
};

/// The dims that occur in the output, and the others, in domain order.
std::vector<Dim> output_dims(const Computation& computation);
std::vector<Dim> reduction_dims(const Computation& computation);

/// Steps `point` through the box of `dims`, the last one fastest, all others fixed; false, and
/// zeros in `dims`, after the last.
bool advance(const Computation& computation, const std::vector<Dim>& dims, Tile& point);

/// Where iteration `point` finds its element of `access` in memory. Requires: not in the padding;
/// `layout` has an axis for each data dim of `access`.
std::int64_t element_offset(const TensorAccess& access, const TensorLayout& layout,
                            const Tile& point);

/// Reads one tensor at iteration points; zero in the padding. Keeps references to its arguments.
class Reader {
 public:
  /// Throws Error when the tensor does not have the size of its layout.
  Reader(const TensorAccess& access, const TensorView& view);

  /// The `count` elements at `point` and at the next iterations of `dim`.
  template <class Number>
  void read(const Tile& point, Dim dim, std::int64_t count, Number* to) const {
    const Walk walk = walk_from(point, dim);
    std::visit(
        [&](const auto values) {
          std::int64_t index = walk.index;
          for (std::int64_t i = 0; i < count; ++i, index += walk.step) {
            const bool inside = index >= 0 && index < walk.extent;
            to[i] = inside ? static_cast<Number>(values.data()[walk.start + walk.places[index]])
                           : Number{0};
          }
        },
        view_.values);
  }

 private:
  /// Elements values[start + places[index]], index advancing by `step`; those outside [0, extent)
  /// are padding.
  struct Walk {
    const std::int64_t* places = nullptr;
    std::int64_t start = 0, index = 0, step = 0, extent = 0;
  };
  Walk walk_from(const Tile& point, Dim dim) const;

  const TensorAccess& access_;
  const TensorView& view_;
  std::vector<std::vector<std::int64_t>> places_;  ///< per data dim: index -> elements
};

}  // namespace tileplan
