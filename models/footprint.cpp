// SPDX-License-Identifier: Apache-2.0
// Multiplies the counts of single indices, which C1 makes independent.
#include "footprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "check.h"
#include "integers.h"

namespace tileplan {
namespace {

// Avoids a division in the usual case, in which one of the two is a dense iterator.
std::int64_t gcd_of(std::int64_t a, std::int64_t b) {
  return a == 1 || b == 1 ? 1 : std::gcd(a, b);
}

// Chains along (b', -a') have one value each, so (F2) counts the points without predecessor.
template <class Size>
Size card_of_two(const Term& x, const Term& y, const PerDim<Size>& tile) {
  const std::int64_t a = std::abs(x.coefficient), b = std::abs(y.coefficient);
  const std::int64_t g = gcd_of(a, b);
  const Size tx = tile[x.dim], ty = tile[y.dim];
  const std::int64_t x_chain = b / g, y_chain = a / g;
  const Size without_x = std::max(Size{0}, tx - static_cast<Size>(x_chain));
  const Size without_y = std::max(Size{0}, ty - static_cast<Size>(y_chain));
  return tx * ty - without_x * without_y;
}

/// Holds the terms with several values, smallest coefficient first, divided by their gcd.
struct ActiveTerms {
  struct Active {
    std::int64_t coefficient, size;
  };
  std::array<Active, kMaxDims> terms{};
  std::size_t count = 0;

  auto begin() const { return terms.begin(); }
  auto end() const { return terms.begin() + count; }
};

ActiveTerms active_terms(const DataDim& data, const Tile& tile) {
  ActiveTerms active;
  std::int64_t g = 0;
  for (const Term& term : data.terms) {
    if (tile[term.dim] <= 1) continue;
    active.terms[active.count++] = {std::abs(term.coefficient), tile[term.dim]};
    g = std::gcd(g, term.coefficient);
  }
  const auto end = active.terms.begin() + active.count;
  for (auto term = active.terms.begin(); term != end; ++term) term->coefficient /= g;
  std::sort(active.terms.begin(), end,
            [](const auto& a, const auto& b) { return a.coefficient < b.coefficient; });
  return active;
}

std::int64_t count_by_enumeration(const ActiveTerms& active) {
  std::vector<std::int64_t> values = {0}, next;
  for (const ActiveTerms::Active& term : active) {
    next.clear();
    for (std::int64_t step = 0; step < term.size; ++step)
      for (const std::int64_t value : values) next.push_back(value + step * term.coefficient);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    values.swap(next);
  }
  return static_cast<std::int64_t>(values.size());
}

// Goes through the terms from the smallest coefficient up. Translates that do not meet multiply the
// count, and translates of an interval that do meet make a longer one. The rest is enumerated.
std::int64_t card_of_many(const DataDim& data, const Tile& tile) {
  for (const Term& term : data.terms)
    if (tile[term.dim] == 0) return 0;
  const ActiveTerms active = active_terms(data, tile);
  std::int64_t count = 1, extent = 1;
  for (const ActiveTerms::Active& term : active) {
    const bool interval = count == extent;
    if (term.coefficient < extent && !interval) return count_by_enumeration(active);
    const bool apart = term.coefficient >= extent;
    extent += term.coefficient * (term.size - 1);
    count = apart ? count * term.size : extent;
  }
  return count;
}

double card_of_many(const DataDim& data, const PerDim<double>& tile) {
  std::int64_t g = 0;
  for (const Term& term : data.terms) g = std::gcd(g, term.coefficient);
  double bound = 0;
  for (const Term& term : data.terms)
    bound += static_cast<double>(std::abs(term.coefficient / g)) * tile[term.dim];
  return bound;
}

template <class Size>
Size card_of(const DataDim& data, const PerDim<Size>& tile) {
  switch (data.terms.size()) {
    case 0:
      return Size{1};
    case 1:
      return tile[data.terms[0].dim];
    case 2:
      return card_of_two(data.terms[0], data.terms[1], tile);
    default:
      return card_of_many(data, tile);
  }
}

template <class Size>
Size footprint_of(const TensorAccess& tensor, const PerDim<Size>& tile) {
  Size elements = 1;
  for (const DataDim& data : tensor.data) elements *= card_of(data, tile);
  return elements;
}

}  // namespace

std::uint32_t present_dims(const TensorAccess& tensor) {
  std::uint32_t dims = 0;
  for (const DataDim& data : tensor.data)
    for (const Term& term : data.terms) dims |= std::uint32_t{1} << index(term.dim);
  return dims;
}

std::int64_t card(const DataDim& data, const Tile& tile) { return card_of(data, tile); }
double card(const DataDim& data, const PerDim<double>& tile) { return card_of(data, tile); }

std::int64_t footprint(const TensorAccess& tensor, const Tile& tile) {
  return footprint_of(tensor, tile);
}
double footprint(const TensorAccess& tensor, const PerDim<double>& tile) {
  return footprint_of(tensor, tile);
}

std::int64_t extent_of(const DataDim& data, const Tile& tile) {
  std::int64_t extent = 1;
  for (const Term& term : data.terms) extent += std::abs(term.coefficient) * (tile[term.dim] - 1);
  return extent;
}

double expected_lines(double values, double extent, double line) {
  return std::min(values, (extent + line - 1) / line);
}

namespace {

/// One axis of memory as the box touches it. A blocked axis is two of them.
struct MemoryAxis {
  std::int64_t stride = 0;  ///< elements between neighbouring values
  std::int64_t values = 0;  ///< that are distinct in the box
  std::int64_t extent = 0;  ///< last minus first plus one
  std::int64_t step = 0;    ///< every tile starts at a multiple of it; 0: always at the first value
  std::int64_t gap = 1;     ///< values are multiples of it apart

  /// Returns the mean distance between values that follow each other, as strides leave gaps.
  std::int64_t spacing() const {
    return values > 1 ? stride * (extent - 1) / (values - 1) : stride;
  }
};

struct MemoryAxes {
  std::array<MemoryAxis, 2UL * kMaxDims> axes{};
  std::size_t count = 0;

  void add(const MemoryAxis& axis) { axes[count++] = axis; }
};

MemoryAxis memory_axis(const DataDim& data, const Tile& tile, std::int64_t stride) {
  const std::int64_t reach = extent_of(data, tile);
  std::int64_t step = std::abs(data.offset), gap = 0;
  for (const Term& term : data.terms) {
    step = std::gcd(step, term.coefficient * tile[term.dim]);
    if (tile[term.dim] > 1) gap = std::gcd(gap, term.coefficient);
  }
  const bool whole = reach >= data.extent;
  return {.stride = stride,
          .values = std::min(card(data, tile), data.extent),
          .extent = std::min(reach, data.extent),
          .step = whole ? 0 : step,
          .gap = std::max<std::int64_t>(gap, 1)};
}

MemoryAxes memory_axes(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile) {
  MemoryAxes memory;
  for (std::size_t j = 0; j < tensor.data.size(); ++j) {
    const AxisLayout& where = layout.axes[j];
    const MemoryAxis axis = memory_axis(tensor.data[j], tile, where.stride);
    if (where.block == 0) {
      memory.add(axis);
      continue;
    }
    const std::int64_t block = where.block;
    // Values that are gaps apart take only part of the places of a block.
    const std::int64_t places = block / std::gcd(block, axis.gap);
    const std::int64_t inner = std::min(axis.values, places);
    memory.add({.stride = where.stride,
                .values = inner,
                .extent = std::min(axis.extent, inner == 1 ? 1 : block),
                .step = axis.step % block});
    memory.add({.stride = where.outer,
                .values = ceil_div(axis.values, inner),
                .extent = ceil_div(axis.extent, block),
                .step = axis.step / block});
  }
  std::stable_sort(memory.axes.begin(), memory.axes.begin() + memory.count,
                   [](const MemoryAxis& a, const MemoryAxis& b) { return a.stride < b.stride; });
  return memory;
}

/// A stretch of memory in which the elements of a box share lines: `values` elements over `extent`.
struct ContiguousPiece {
  std::int64_t values = 1;
  std::int64_t extent = 1;
  std::size_t axes = 0;  ///< of the leading ones that it covers
};

// Starts with the contiguous axis. The next axis continues the piece when no line lies between the
// end of one value and the start of the next, as when the box spans a whole contiguous dim.
ContiguousPiece contiguous_piece(const MemoryAxes& memory, std::int64_t line) {
  ContiguousPiece piece;
  bool gapless = true;
  for (; piece.axes < memory.count && gapless; ++piece.axes) {
    const MemoryAxis& axis = memory.axes[piece.axes];
    if (axis.extent > 1 && axis.spacing() - (piece.extent - 1) > line) break;
    piece.values *= axis.values;
    piece.extent += (axis.extent - 1) * axis.stride;
    gapless = axis.values == axis.extent;
  }
  return piece;
}

// True when every piece of every tile starts on a line boundary.
bool starts_on_lines(const MemoryAxes& memory, std::size_t piece_axes, std::int64_t line) {
  for (std::size_t j = 0; j < memory.count; ++j) {
    const MemoryAxis& axis = memory.axes[j];
    if (axis.step * axis.stride % line != 0) return false;
    if (j >= piece_axes && axis.stride % line != 0) return false;
  }
  return true;
}

}  // namespace

double lines(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile,
             double line) {
  TILEPLAN_DCHECK(layout.axes.size() == tensor.data.size(), "one axis per data dim");
  const auto line_elements = static_cast<std::int64_t>(line);
  const MemoryAxes memory = memory_axes(tensor, layout, tile);
  const ContiguousPiece piece = contiguous_piece(memory, line_elements);
  const auto values = static_cast<double>(piece.values), extent = static_cast<double>(piece.extent);
  double result = starts_on_lines(memory, piece.axes, line_elements)
                      ? std::min(values, std::ceil(extent / line))
                      : expected_lines(values, extent, line);
  for (std::size_t j = piece.axes; j < memory.count; ++j)
    result *= static_cast<double>(memory.axes[j].values);
  return result;
}

double lines_in_a_row(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile,
                      double line) {
  const MemoryAxes memory = memory_axes(tensor, layout, tile);
  return static_cast<double>(contiguous_piece(memory, static_cast<std::int64_t>(line)).extent) /
         line;
}

std::vector<std::int64_t> lines_in_sets(const TensorAccess& tensor, const TensorLayout& layout,
                                        const Tile& tile, std::int64_t line, std::int64_t sets) {
  const MemoryAxes memory = memory_axes(tensor, layout, tile);
  const ContiguousPiece piece = contiguous_piece(memory, line);
  std::vector<std::int64_t> loads(static_cast<std::size_t>(sets), 0);
  for (std::int64_t i = 0; i < ceil_div(piece.extent, line); ++i)
    ++loads[static_cast<std::size_t>(i % sets)];
  for (std::size_t j = piece.axes; j < memory.count; ++j) {
    const MemoryAxis& axis = memory.axes[j];
    if (axis.values == 1) continue;
    std::vector<std::int64_t> all(loads.size(), 0);
    for (std::int64_t i = 0; i < axis.values; ++i) {
      const std::int64_t shift = i * axis.spacing() / line % sets;
      for (std::int64_t set = 0; set < sets; ++set)
        all[static_cast<std::size_t>((set + shift) % sets)] += loads[static_cast<std::size_t>(set)];
    }
    loads = std::move(all);
  }
  return loads;
}

}  // namespace tileplan
