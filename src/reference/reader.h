// SPDX-License-Identifier: Apache-2.0
// Reads elements of tensors at iteration points, and enumerates iteration points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffers.h"
#include "computation.h"
#include "dims.h"

namespace tileplan {

struct TensorView {
  Values values;  ///< A view has `layout.elements` values.
  TensorLayout layout;
};

/// The first function returns the dims of the output and the second all others, in domain order.
std::vector<Dim> output_dims(const Computation& computation);
std::vector<Dim> reduction_dims(const Computation& computation);

/// Advances `point` in the box of `dims`, the last dim fastest. Returns false after the last point,
/// and sets `dims` to 0.
bool advance(const Computation& computation, const std::vector<Dim>& dims, Tile& point);

/// Returns the position of the element of `access` that iteration `point` uses. Requires: the
/// element is not in the padding, and `layout` has an axis for each data dim of `access`.
std::size_t element_index(const TensorAccess& access, const TensorLayout& layout,
                          const Tile& point);

/// Reads one tensor, whose padding is zero, at iteration points. Keeps references to its arguments.
class Reader {
 public:
  /// Throws Error when the tensor does not have the size of its layout.
  Reader(const TensorAccess& access, const TensorView& view);

  /// Reads the `count` elements at `point` and at the next iterations of `dim`.
  template <class Number>
  void read(const Tile& point, Dim dim, std::int64_t count, Number* to) const {
    const ElementLine line = line_from(point, dim);
    std::visit(
        [&](const auto values) {
          std::int64_t index = line.index;
          for (std::int64_t i = 0; i < count; ++i, index += line.step) {
            const bool inside = index >= 0 && index < line.extent;
            to[i] = inside ? static_cast<Number>(values.data()[line.start + line.places[index]])
                           : Number{0};
          }
        },
        view_.values);
  }

 private:
  /// Describes the elements values[start + places[index]]. An index outside [0, extent) is padding.
  struct ElementLine {
    const std::int64_t* places = nullptr;
    std::int64_t start = 0, index = 0, step = 0, extent = 0;
  };
  ElementLine line_from(const Tile& point, Dim dim) const;

  const TensorAccess& access_;
  const TensorView& view_;
  /// A table per data dim maps indices to offsets.
  std::vector<std::vector<std::int64_t>> places_;
};

}  // namespace tileplan
