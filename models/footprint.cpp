// SPDX-License-Identifier: Apache-2.0
// No dimension occurs in two indices of a tensor (condition C1 in access.h). The indices are thus
// independent, and their counts are multiplied. Cache lines are counted along the axes of a layout,
// from the smallest stride outwards.
#include "footprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "check.h"
#include "integers.h"

namespace tileplan {
namespace {

// Computes eq. (F2). The signs of coefficients do not change the count. For positive a and b,
// points that differ by (b / g, -a / g) have equal values, so only the first of them is counted.
template <class Size>
Size card_of_two(const Term& x, const Term& y, const PerDim<Size>& tile) {
  const std::int64_t a = std::abs(x.coefficient), b = std::abs(y.coefficient);
  // Coefficients of 1 are the usual case, and their gcd needs no division.
  const std::int64_t g = a == 1 || b == 1 ? 1 : std::gcd(a, b);
  const Size tx = tile[x.dim], ty = tile[y.dim];
  const std::int64_t x_chain = b / g, y_chain = a / g;
  const Size without_x = std::max(Size{0}, tx - static_cast<Size>(x_chain));
  const Size without_y = std::max(Size{0}, ty - static_cast<Size>(y_chain));
  return tx * ty - without_x * without_y;
}

/// Writes the terms that take several values to `buffer` and returns them in ascending order of
/// their coefficients, which are divided by their gcd.
std::span<const Multiples> active_terms(const DataDim& data, const Tile& tile,
                                        std::array<Multiples, kMaxDims>& buffer) {
  std::size_t count = 0;
  std::int64_t g = 0;
  for (const Term& term : data.terms) {
    if (tile[term.dim] <= 1) continue;
    buffer[count++] = {std::abs(term.coefficient), tile[term.dim]};
    g = std::gcd(g, term.coefficient);
  }
  const std::span active(buffer.data(), count);
  for (Multiples& term : active) term.coefficient /= g;
  std::ranges::sort(active, {}, &Multiples::coefficient);
  return active;
}

// The terms are added one by one, and each shifts the set of sums so far. If the shifts exceed the
// largest sum so far, the shifted sets are disjoint and the count is multiplied. If they do not and
// the sums so far form an interval, the interval grows. In all other cases the sums are enumerated.
std::int64_t card_of_many(const DataDim& data, const Tile& tile) {
  for (const Term& term : data.terms)
    if (tile[term.dim] == 0) return 0;
  std::array<Multiples, kMaxDims> buffer{};
  const std::span<const Multiples> active = active_terms(data, tile, buffer);
  std::int64_t count = 1, extent = 1;
  for (const Multiples& term : active) {
    const bool apart = term.coefficient >= extent;
    if (!apart && count != extent)
      return static_cast<std::int64_t>(enumerate_sums(0, active).size());
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
  const std::vector<Term>& terms = data.terms;
  if (terms.empty()) return Size{1};
  if (terms.size() == 1) return tile[terms[0].dim];
  return terms.size() == 2 ? card_of_two(terms[0], terms[1], tile) : card_of_many(data, tile);
}

template <class Size>
Size footprint_of(const TensorAccess& tensor, const PerDim<Size>& tile) {
  Size elements = 1;
  for (const DataDim& data : tensor.data) elements *= card_of(data, tile);
  return elements;
}

}  // namespace

std::vector<std::int64_t> enumerate_sums(std::int64_t first, std::span<const Multiples> terms) {
  std::vector<std::int64_t> values = {first}, next;
  for (const Multiples& term : terms) {
    next.clear();
    for (std::int64_t step = 0; step < term.size; ++step)
      for (const std::int64_t value : values) next.push_back(value + step * term.coefficient);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    values.swap(next);
  }
  return values;
}

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

/// Describes one axis in memory of the box of elements that a tile accesses. An axis that is stored
/// in blocks counts as two axes. No axis counts more values than the tensor stores.
struct MemoryAxis {
  std::int64_t stride = 0;  ///< Gives the distance of neighbouring values in elements.
  std::int64_t values = 0;  ///< Counts the distinct values in the box.
  std::int64_t extent = 0;  ///< Gives the largest minus the smallest value, plus 1.
  /// Divides the start of every tile; 0 means that all tiles start at value 0.
  std::int64_t step = 0;
  std::int64_t gap = 1;  ///< Divides the difference of any two values.

  /// Returns the mean distance of consecutive values in elements, rounded down, which may be larger
  /// than `stride` when values between them do not occur in the box.
  std::int64_t spacing() const {
    return values > 1 ? stride * (extent - 1) / (values - 1) : stride;
  }
};

/// Holds the axes by increasing stride. Axes of equal strides keep the order of the tensor.
struct MemoryAxes {
  std::array<MemoryAxis, 2UL * kMaxDims> axes{};
  std::size_t count = 0;

  void add(const MemoryAxis& axis) {
    std::size_t at = count++;
    for (; at > 0 && axes[at - 1].stride > axis.stride; --at) axes[at] = axes[at - 1];
    axes[at] = axis;
  }
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
    // Values whose distances are multiples of `gap` use all places of a block, unless `gap` and the
    // size of the block have a common divisor.
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
  return memory;
}

/// Describes a range of `extent` elements in memory that contains `values` elements of a box and in
/// which the box touches every cache line. The range covers the first `axes` axes.
struct ContiguousPiece {
  std::int64_t values = 1;
  std::int64_t extent = 1;
  std::size_t axes = 0;
};

// Returns the longest piece, which starts with the axis of smallest stride. The next axis extends
// the piece when the axes so far leave no gaps and no cache line lies between the end of one value
// and the start of the next.
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

// Returns true when every contiguous piece of every tile starts at a cache line.
bool starts_on_lines(const MemoryAxes& memory, std::size_t piece_axes, std::int64_t line) {
  for (std::size_t j = 0; j < memory.count; ++j) {
    const std::int64_t stride = memory.axes[j].stride;
    if (memory.axes[j].step * stride % line != 0 || (j >= piece_axes && stride % line != 0))
      return false;
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

namespace {

/// Adds `times` the loads of each set to the set of `all` that lies `shift` sets behind it, where
/// the first set follows the last one. Two loops do so without a division for each set, which would
/// take most of the time.
void add_shifted(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& loads,
                 std::size_t shift, std::int64_t times) {
  const std::size_t behind = loads.size() - shift;
  for (std::size_t set = 0; set < behind; ++set) all[set + shift] += times * loads[set];
  for (std::size_t set = 0; set < shift; ++set) all[set] += times * loads[set + behind];
}

}  // namespace

std::vector<std::int64_t> lines_in_sets(const TensorAccess& tensor, const TensorLayout& layout,
                                        const Tile& tile, std::int64_t line, std::int64_t sets) {
  const MemoryAxes memory = memory_axes(tensor, layout, tile);
  const ContiguousPiece piece = contiguous_piece(memory, line);
  const std::int64_t in_piece = ceil_div(piece.extent, line);
  std::vector<std::int64_t> loads(static_cast<std::size_t>(sets), in_piece / sets);
  for (std::int64_t i = 0; i < in_piece % sets; ++i) ++loads[static_cast<std::size_t>(i)];
  for (std::size_t j = piece.axes; j < memory.count; ++j) {
    const MemoryAxis& axis = memory.axes[j];
    if (axis.values == 1) continue;
    if (std::ranges::adjacent_find(loads, std::ranges::not_equal_to{}) == loads.end()) {
      for (std::int64_t& load : loads) load *= axis.values;
      continue;
    }
    // After `period` values, the values of the axis select the same sets again.
    const std::int64_t around = line * sets, period = around / std::gcd(around, axis.spacing());
    std::vector<std::int64_t> all(loads.size(), 0);
    for (std::int64_t i = 0; i < std::min(period, axis.values); ++i) {
      const std::int64_t times = ceil_div(axis.values - i, period);
      add_shifted(all, loads, static_cast<std::size_t>(i * axis.spacing() / line % sets), times);
    }
    loads = std::move(all);
  }
  return loads;
}

}  // namespace tileplan
