// SPDX-License-Identifier: Apache-2.0
// A box is memory of its own for the elements of one tensor that the loops inside the packing
// position access.
#include "packed_box.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "branches.h"
#include "crowded_rows.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

/// Throws Error unless each index of the output is 0 or a single iterator without offset and
/// factor, and the loops store the output themselves. Packed outputs require both conditions.
void check_output(const TensorAccess& output) {
  for (const DataDim& data : output.data)
    if (data.terms.size() > 1 || data.offset != 0 ||
        std::ranges::any_of(data.terms, [](const Term& term) { return term.coefficient != 1; }))
      throw Error("schedule: pack=out, but an index of " + output.name +
                  " is no single iterator; must be one");
  if (output.copied)
    throw Error("schedule: pack=out, but " + output.name +
                " is converted after the loops; must be stored by them");
}

}  // namespace

std::size_t loops_outside_box(const Computation& computation, const Nest& nest, Operand operand,
                              int position) {
  constexpr const char* kNames[] = {"in", "weights", "out"};
  const std::string mark = std::string("schedule: pack=") +
                           kNames[static_cast<std::size_t>(operand)] + '@' +
                           std::to_string(position);
  const std::size_t outside = static_cast<std::size_t>(position) + 1;
  if (outside > nest.loops.size())
    throw Error(mark + " is not a loop; must be one of the " + std::to_string(nest.loops.size()) +
                " outside U and V");
  if (const TensorAccess& packed = computation.tensor(operand); !is_packable(packed))
    throw Error(mark + " with strips of " + std::to_string(packed.element_bytes()) +
                " bytes, which tiles load; boxes have elements of at most 8 bytes");
  if (operand == Operand::input && computation.role(nest.vectorised) == Role::batch)
    throw Error(mark + ", but V(" + computation.name(nest.vectorised) +
                ") is a dimension of all tensors; vectors of its input are read where they are");
  const std::size_t begin = microkernel_begin(computation, nest);
  for (std::size_t i = begin; i < outside; ++i)
    if (nest.loops[i].trips != 1)
      throw Error(mark + " is inside a loop over " + computation.name(nest.loops[i].dim) +
                  " that the microkernel runs; must be outside the reduction loops around it");
  return std::min(outside, begin);
}

std::vector<BoxAxis> box_axes(const TensorAccess& tensor, const TensorLayout& packed,
                              const Tile& box) {
  std::vector<BoxAxis> axes;
  for (std::size_t a = 0; a < tensor.data.size(); ++a) {
    const AxisLayout& layout = packed.axes[a];
    BoxAxis axis{.data = a, .pitch = layout.block == 0 ? layout.stride : layout.outer};
    std::int64_t reach = 0, gap = 0;
    for (const Term& term : tensor.data[a].terms) {
      if (box[term.dim] <= 1) continue;
      reach += term.coefficient * (box[term.dim] - 1);
      gap = std::gcd(gap, term.coefficient);
    }
    axis.gap = std::max<std::int64_t>(gap, 1);
    axis.count = reach / axis.gap + 1;
    axes.push_back(axis);
  }
  std::ranges::stable_sort(axes, std::ranges::greater(), &BoxAxis::pitch);
  return axes;
}

TensorLayout output_box_layout(const Computation& computation, const Tile& box, Dim vectorised) {
  const TensorAccess& output = computation.tensor(Operand::output);
  check_output(output);
  TensorLayout layout{std::vector<AxisLayout>(output.data.size()), 1};
  const auto add = [&](std::size_t axis) {
    layout.axes[axis].stride = layout.elements;
    for (const Term& term : output.data[axis].terms)
      layout.elements *= std::max<std::int64_t>(box[term.dim], 1);
  };
  for (std::size_t axis = 0; axis < output.data.size(); ++axis)
    if (is_present(output.data[axis], vectorised)) add(axis);
  layout.elements = uncrowded(layout.elements, output);
  for (std::size_t axis = output.data.size(); axis-- > 0;)
    if (!is_present(output.data[axis], vectorised)) add(axis);
  return layout;
}

void check_output_box(const Computation& computation, Dim vectorised,
                      const std::optional<TensorLayout>& box, const Epilogue& epilogue) {
  if (!box) return;
  if (epilogue.add)
    throw Error("schedule: pack=out with the epilogue " + to_string(epilogue) +
                ", whose residual has the layout of the output; must have no add");
  Tile next;
  next[vectorised] = 1;
  const std::int64_t apart =
      offset_distance(computation.tensor(Operand::output), bias_layout(computation), next);
  if (epilogue.bias && apart > 1)
    throw Error("schedule: pack=out with a bias whose neighbours along " +
                computation.name(vectorised) + " are " + std::to_string(apart) +
                " elements apart; must be adjacent");
}

std::int64_t offset_distance(const TensorAccess& tensor, const TensorLayout& layout,
                             const Tile& at) {
  std::int64_t distance = 0;
  for (std::size_t axis = 0; axis < tensor.data.size(); ++axis)
    distance += layout.axes[axis].offset(index_distance(tensor.data[axis], at));
  return distance;
}

}  // namespace tileplan
