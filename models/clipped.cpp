// SPDX-License-Identifier: Apache-2.0
// Counts tile by tile along each index, because tiles at the border hold less than those inside.
#include "clipped.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>
#include <vector>

#include "footprint.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// So many steps of counting take two seconds. Convolutions stay a thousand times below.
constexpr double kMostSteps = 1e9;

/// The values first + step * x, 0 <= x < count, with step > 0.
struct Progression {
  std::int64_t first = 0, step = 1, count = 0;
};

std::int64_t members_in(const Progression& values, std::int64_t extent) {
  const std::int64_t from = std::max<std::int64_t>(0, -floor_div(values.first, values.step));
  const std::int64_t to =
      std::min(values.count - 1, floor_div(extent - 1 - values.first, values.step));
  return std::max<std::int64_t>(0, to - from + 1);
}

/// The values of one index over a box: `first` plus one value of each progression.
struct IndexValues {
  std::int64_t first = 0;
  std::vector<Progression> terms;  ///< most values first; their own `first` is 0
};

IndexValues values_of(const DataDim& data, const PlacedTile& box) {
  IndexValues values{.first = data.offset, .terms = {}};
  for (const Term& term : data.terms) {
    values.first += term.coefficient * box.origin[term.dim];
    values.terms.push_back({.first = 0, .step = term.coefficient, .count = box.size[term.dim]});
  }
  std::ranges::sort(values.terms,
                    [](const Progression& a, const Progression& b) { return a.count > b.count; });
  return values;
}

// Points (x, y) and (x - b', y + a') have one value, counted at the point without successor.
std::int64_t card_of_two(const IndexValues& index, std::int64_t extent) {
  const Progression &x = index.terms[0], &y = index.terms[1];
  const std::int64_t g = std::gcd(x.step, y.step);
  std::int64_t values = 0;
  for (std::int64_t row = 0; row < y.count; ++row) {
    const bool last = row + x.step / g >= y.count;
    const std::int64_t starts = last ? x.count : std::min(x.count, y.step / g);
    values += members_in({index.first + row * y.step, x.step, starts}, extent);
  }
  return values;
}

std::int64_t card_of_many(const IndexValues& index, std::int64_t extent) {
  std::vector<std::int64_t> values = {index.first}, next;
  for (const Progression& term : index.terms) {
    next.clear();
    for (std::int64_t x = 0; x < term.count; ++x)
      for (const std::int64_t value : values) next.push_back(value + x * term.step);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    values.swap(next);
  }
  return std::ranges::count_if(values,
                               [&](std::int64_t value) { return value >= 0 && value < extent; });
}

/// Walks over all tiles of one index.
class Tiles {
 public:
  Tiles(const DataDim& data, const Tile& tile, const Tile& within)
      : data_(data), tile_(tile), within_(within) {
    check_steps();
  }

  /// Returns the values that enter: new ones along `q`, and all at every step of the others.
  std::int64_t loaded(std::optional<Dim> q) const {
    // Tiles of a single iterator never overlap.
    if (data_.terms.size() == 1) return card_in_array(data_, {.origin = {}, .size = within_});
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
  PlacedTile first_tile() const { return {.origin = {}, .size = tile_}; }

  /// Moves to the next tile along `dim`; after the last, to the first one, and returns false.
  bool advance(PlacedTile& box, Dim dim) const {
    box.origin[dim] += tile_[dim];
    const bool inside = box.origin[dim] < within_[dim];
    if (!inside) box.origin[dim] = 0;
    box.size[dim] = std::min(tile_[dim], within_[dim] - box.origin[dim]);
    return inside;
  }

  template <class Visit>
  void for_each(std::optional<Dim> fixed, const Visit& visit) const {
    PlacedTile box = first_tile();
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

bool is_active(const Tile& tile, const Tile& within, Dim dim) { return tile[dim] < within[dim]; }

std::int64_t trips(const Tile& tile, const Tile& within, Dim dim) {
  return ceil_div(within[dim], tile[dim]);
}

bool contains(const DataDim& data, std::optional<Dim> dim) { return dim && is_present(data, *dim); }

std::int64_t clipped_volume(const TensorAccess& tensor, const LoopOrder& order, const Tile& tile,
                            const Tile& within) {
  std::optional<Dim> q;
  std::int64_t elements = 1;
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    if (!is_active(tile, within, *dim)) continue;
    const bool present = is_present(tensor, *dim);
    if (present && !q) q = *dim;
    if (!present && q) elements *= trips(tile, within, *dim);
  }
  for (const DataDim& data : tensor.data)
    elements *= Tiles(data, tile, within).loaded(contains(data, q) ? q : std::nullopt);
  return elements;
}

}  // namespace

std::int64_t card_in_array(const DataDim& data, const PlacedTile& box) {
  const IndexValues index = values_of(data, box);
  switch (index.terms.size()) {
    case 0:
      return index.first >= 0 && index.first < data.extent ? 1 : 0;
    case 1:
      return members_in({index.first, index.terms[0].step, index.terms[0].count}, data.extent);
    case 2:
      return card_of_two(index, data.extent);
    default:
      return card_of_many(index, data.extent);
  }
}

PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within) {
  PerTensor<std::int64_t> result;
  for (std::size_t t = 0; t < result.values.size(); ++t)
    result.values[t] = clipped_volume(computation.tensors[t], order, tile, within);
  return result;
}

PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within) {
  PerTensor<std::int64_t> result;
  for (std::size_t t = 0; t < result.values.size(); ++t) {
    std::int64_t elements = 1;
    for (const DataDim& data : computation.tensors[t].data)
      elements *= Tiles(data, tile, within).fullest();
    result.values[t] = elements;
  }
  return result;
}

}  // namespace tileplan
