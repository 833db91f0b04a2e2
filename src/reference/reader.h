// SPDX-License-Identifier: Apache-2.0
// This file reads elements of tensors at iteration points, and enumerates iteration points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffers.h"
#include "computation.h"
#include "dims.h"

namespace tileplan {

struct TensorView {
  Values values;  ///< The view has `layout.elements` values.
  TensorLayout layout;
};

/// These functions return the dimensions of the output, and all other dimensions, both in the order
/// of the domain.
std::vector<Dim> output_dims(const Computation& computation);
std::vector<Dim> reduction_dims(const Computation& computation);

/// Moves `point` to the next point of the box of `dims`, the last dimension fastest. After the last
/// point, sets these dimensions of `point` to 0 and returns false.
bool advance(const Computation& computation, const std::vector<Dim>& dims, Tile& point);

/// Returns the position of the element of `access` at iteration `point`. Requires that the element
/// is not in the padding, and `layout` has an axis for each index of `access`.
std::size_t element_index(const TensorAccess& access, const TensorLayout& layout,
                          const Tile& point);

/// Reads one tensor at iteration points. Padding reads as zero. Keeps references to its arguments.
class Reader {
 public:
  /// Throws Error when the tensor does not have as many elements as its layout.
  Reader(const TensorAccess& access, const TensorView& view);

  /// Reads `count` elements, at `point` and at the next iterations of `dim`.
  template <class Number>
  void read(const Tile& point, Dim dim, std::int64_t count, Number* to) const {
    const ElementLine line = line_from(point, dim);
    std::visit(
        [&](const auto values) {
          std::int64_t index = line.index;
          for (std::int64_t i = 0; i < count; ++i, index += line.step) {
            const bool inside = index >= 0 && index < line.extent;
            to[i] =
                inside
                    ? static_cast<Number>(number_of(values.data()[line.start + line.places[index]]))
                    : Number{0};
          }
        },
        view_.values);
  }

 private:
  /// Describes the elements values[start + places[index]] for an index that grows by `step` from
  /// one element to the next. Elements are 0 for an index outside [0, extent).
  struct ElementLine {
    const std::int64_t* places = nullptr;
    std::int64_t start = 0, index = 0, step = 0, extent = 0;
  };
  ElementLine line_from(const Tile& point, Dim dim) const;

  const TensorAccess& access_;
  const TensorView& view_;
  /// Holds one table per index of the tensor, which maps values of the index to offsets.
  std::vector<std::vector<std::int64_t>> places_;
};

}  // namespace tileplan
