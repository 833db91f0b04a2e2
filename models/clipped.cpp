// SPDX-License-Identifier: Apache-2.0
// No dimension occurs in two indices of a tensor (condition C1 in access.h), so the counts of the
// indices are multiplied. Tiles at the border hold fewer elements, so each tile of an index is
// counted separately.
#include "clipped.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <vector>

#include "footprint.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Limits the combinations of the iterators of one index. Counting takes two seconds at the limit,
/// and the convolutions of data/layers have less than a thousandth of this number.
constexpr double kMostSteps = 1e9;

/// Describes the iterations origin <= x < origin + size.
struct PlacedTile {
  Tile origin{};
  Tile size{};
};

/// Returns how many sums of `first` and one value of `term` lie in [0, extent).
std::int64_t members_in(std::int64_t first, const Multiples& term, std::int64_t extent) {
  const std::int64_t from = std::max<std::int64_t>(0, -floor_div(first, term.coefficient));
  const std::int64_t to = std::min(term.size - 1, floor_div(extent - 1 - first, term.coefficient));
  return std::max<std::int64_t>(0, to - from + 1);
}

/// Returns the number of distinct values in [0, extent) among the sums of `first`, a value of x and
/// a value of y. With a and b the coefficients divided by their gcd, (x, y) and (x - b, y + a) have
/// equal sums, so only the last of such points is counted.
std::int64_t card_of_two(std::int64_t first, const Multiples& x, const Multiples& y,
                         std::int64_t extent) {
  const std::int64_t g = std::gcd(x.coefficient, y.coefficient);
  std::int64_t values = 0;
  for (std::int64_t row = 0; row < y.size; ++row) {
    const bool last = row + x.coefficient / g >= y.size;
    const std::int64_t starts = last ? x.size : std::min(x.size, y.coefficient / g);
    values += members_in(first + row * y.coefficient, {x.coefficient, starts}, extent);
  }
  return values;
}

/// Returns the exact number of distinct values of `data` in [0, data.extent) over the box. Requires
/// positive coefficients, which every computation has.
std::int64_t card_in_array(const DataDim& data, const PlacedTile& box) {
  std::int64_t first = data.offset;
  std::vector<Multiples> terms;
  for (const Term& term : data.terms) {
    first += term.coefficient * box.origin[term.dim];
    terms.push_back({term.coefficient, box.size[term.dim]});
  }
  std::ranges::sort(terms, std::greater(), &Multiples::size);
  if (terms.empty()) return first >= 0 && first < data.extent ? 1 : 0;
  if (terms.size() == 1) return members_in(first, terms[0], data.extent);
  if (terms.size() == 2) return card_of_two(first, terms[0], terms[1], data.extent);
  return std::ranges::count_if(enumerate_sums(first, terms), [&](std::int64_t value) {
    return value >= 0 && value < data.extent;
  });
}

/// Counts the values of one index of a tensor in each tile of the iteration space.
class Tiles {
 public:
  Tiles(const DataDim& data, const Tile& tile, const Tile& within)
      : data_(data), tile_(tile), within_(within) {
    check_steps();
  }

  /// Returns the number of values that are loaded while all tiles run. A step along `q` loads only
  /// new values, and a step along any other dimension loads all values of its tile.
  std::int64_t loaded(std::optional<Dim> q) const {
    // Tiles of an index with a single iterator never overlap, so each value is loaded once.
    if (data_.terms.size() == 1) return card_in_array(data_, {.size = within_});
    std::int64_t sum = 0;
    for_each(q,
             [&](const PlacedTile& box) { sum += q ? sweep(box, *q) : card_in_array(data_, box); });
    return sum;
  }

  std::int64_t fullest() const {
    if (!data_.clipped) return card(data_, tile_);
    std::int64_t most = 0;
    for_each(std::nullopt,
             [&](const PlacedTile& box) { most = std::max(most, card_in_array(data_, box)); });
    return most;
  }

 private:
  /// Moves `box` to the next tile along `dim`. After the last tile, it moves `box` back to the
  /// first tile and returns false.
  bool advance(PlacedTile& box, Dim dim) const {
    box.origin[dim] += tile_[dim];
    const bool inside = box.origin[dim] < within_[dim];
    if (!inside) box.origin[dim] = 0;
    box.size[dim] = std::min(tile_[dim], within_[dim] - box.origin[dim]);
    return inside;
  }

  template <class Visit>
  void for_each(std::optional<Dim> fixed, const Visit& visit) const {
    PlacedTile box{.size = tile_};
    for (bool more = true; more;) {
      visit(box);
      more = std::ranges::any_of(data_.terms, [&](const Term& term) {
        return term.dim != fixed && advance(box, term.dim);
      });
    }
  }

  std::int64_t sweep(PlacedTile box, Dim q) const {
    std::int64_t before = card_in_array(data_, box), sum = before;
    PlacedTile both = box;
    while (advance(box, q)) {
      both.origin[q] = box.origin[q] - tile_[q];
      both.size[q] = tile_[q] + box.size[q];
      sum += card_in_array(data_, both) - before;
      before = card_in_array(data_, box);
    }
    return sum;
  }

  void check_steps() const {
    double steps = 1;
    for (const Term& term : data_.terms) steps *= static_cast<double>(within_[term.dim]);
    if (steps <= kMostSteps || (data_.terms.size() == 1 && !data_.clipped)) return;
    std::ostringstream count;
    count << steps;
    throw Error("clip: the iterators of one index have " + count.str() +
                " combinations; must be at most 1e9 where the padding is left out");
  }

  const DataDim& data_;
  const Tile& tile_;
  const Tile& within_;
};

std::int64_t clipped_volume(const TensorAccess& tensor, const LoopOrder& order, const Tile& tile,
                            const Tile& within) {
  std::optional<Dim> q;
  std::int64_t elements = 1;
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    if (tile[*dim] >= within[*dim]) continue;
    const bool present = is_present(tensor, *dim);
    if (present && !q) q = *dim;
    if (!present && q) elements *= ceil_div(within[*dim], tile[*dim]);
  }
  for (const DataDim& data : tensor.data)
    elements *= Tiles(data, tile, within).loaded(q && is_present(data, *q) ? q : std::nullopt);
  return elements;
}

}  // namespace

PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within) {
  PerTensor<std::int64_t> result;
  for (std::size_t t = 0; t < result.values.size(); ++t)
    result.values[t] = clipped_volume(computation.tensors[t], order, tile, within);
  return result;
}

PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within) {
  PerTensor<std::int64_t> result{{1, 1, 1}};
  for (std::size_t t = 0; t < result.values.size(); ++t)
    for (const DataDim& data : computation.tensors[t].data)
      result.values[t] *= Tiles(data, tile, within).fullest();
  return result;
}

}  // namespace tileplan
