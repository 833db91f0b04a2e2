// SPDX-License-Identifier: Apache-2.0
// A Reader keeps the offsets of all indices in tables, because the offset of an index in a blocked
// layout would need divisions.
#include "reader.h"

#include <string>

#include "check.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// This table is used when no index depends on the iterator, so that one element is read
/// repeatedly.
constexpr std::int64_t kStay[] = {0};

std::int64_t index_at(const DataDim& data, const Tile& point) {
  std::int64_t index = data.offset;
  for (const Term& term : data.terms) index += term.coefficient * point[term.dim];
  return index;
}

bool is_inside(const DataDim& data, std::int64_t index) {
  return index >= 0 && index < data.extent;
}

std::vector<Dim> dims_of(const Computation& computation, bool in_output) {
  std::vector<Dim> dims;
  for (int i = 0; i < computation.dims(); ++i)
    if (is_present(computation.tensor(Operand::output), Dim{i}) == in_output)
      dims.push_back(Dim{i});
  return dims;
}

}  // namespace

std::vector<Dim> output_dims(const Computation& computation) { return dims_of(computation, true); }

std::vector<Dim> reduction_dims(const Computation& computation) {
  return dims_of(computation, false);
}

bool advance(const Computation& computation, const std::vector<Dim>& dims, Tile& point) {
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    if (++point[*dim] < computation.extent(*dim)) return true;
    point[*dim] = 0;
  }
  return false;
}

std::size_t element_index(const TensorAccess& access, const TensorLayout& layout,
                          const Tile& point) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < access.data.size(); ++d) {
    const std::int64_t index = index_at(access.data[d], point);
    TILEPLAN_DCHECK(is_inside(access.data[d], index), "an element in the padding has no place");
    offset += layout.axes[d].offset(index);
  }
  return static_cast<std::size_t>(offset);
}

Reader::Reader(const TensorAccess& access, const TensorView& view) : access_(access), view_(view) {
  const std::size_t size = std::visit([](const auto values) { return values.size(); }, view.values);
  if (static_cast<std::int64_t>(size) != view.layout.elements)
    throw Error("reference: " + access.name + " has " + std::to_string(size) +
                " elements; its layout needs " + std::to_string(view.layout.elements));
  places_.resize(access.data.size());
  for (std::size_t d = 0; d < places_.size(); ++d)
    for (std::int64_t i = 0; i < access.data[d].extent; ++i)
      places_[d].push_back(view.layout.axes[d].offset(i));
}

Reader::ElementLine Reader::line_from(const Tile& point, Dim dim) const {
  ElementLine line{.places = kStay, .start = 0, .index = 0, .step = 0, .extent = 1};
  for (std::size_t d = 0; d < places_.size(); ++d) {
    const DataDim& data = access_.data[d];
    const std::int64_t index = index_at(data, point), step = coefficient_of(data, dim);
    if (step != 0) {  // At most one index depends on an iterator (C1 of access.h).
      line.places = places_[d].data();
      line.index = index;
      line.step = step;
      line.extent = data.extent;
    } else if (is_inside(data, index)) {
      line.start += places_[d][static_cast<std::size_t>(index)];
    } else {
      return {};
    }
  }
  return line;
}

}  // namespace tileplan
