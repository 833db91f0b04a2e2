// SPDX-License-Identifier: Apache-2.0
// Boxes of positions in lists of sizes, the most promising first.
#include "ragged.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

#include "integers.h"
#include "movement.h"

namespace tileplan {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Bounds this close to the best are the best (model.md 6.4).
constexpr double kRelative = 1e-9;

using Positions = std::array<std::int16_t, kMaxDims>;

/// Positions low .. high of each axis.
struct Node {
  double bound = 0;
  Positions low{}, high{};

  bool operator<(const Node& other) const { return bound > other.bound; }  // smallest on top
};

/// True when the values that the index `data` takes grow by a constant per iteration of `dim`,
/// however small the tile.
bool is_affine(const Computation& computation, const DataDim& data, Dim dim) {
  std::int64_t own = 0, common = 0, others = 0;
  for (const Term& term : data.terms) {
    if (computation.extent(term.dim) == 1) continue;
    common = std::gcd(common, term.coefficient);
    if (term.dim == dim) own = std::abs(term.coefficient);
    if (term.dim != dim) others = others == 0 ? std::abs(term.coefficient) : kMaxDims * common;
  }
  return own == 0 || others <= common;
}

/// The same of every index.
bool is_affine(const Computation& computation, Dim dim) {
  return std::all_of(
      computation.tensors.begin(), computation.tensors.end(), [&](const TensorAccess& tensor) {
        return std::all_of(tensor.data.begin(), tensor.data.end(),
                           [&](const DataDim& data) { return is_affine(computation, data, dim); });
      });
}

/// Numbers of base blocks, ascending: divisors of `blocks`, or the smallest for each trip count, or
/// all.
std::vector<std::int64_t> counts(std::int64_t blocks, TileSizeChoice sizes, bool affine) {
  if (sizes == TileSizeChoice::divisors) return divisors(blocks);
  std::vector<std::int64_t> all;
  for (std::int64_t count = 1; count <= blocks; ++count)
    if (!affine || count == 1 || ceil_div(blocks, count) < ceil_div(blocks, count - 1))
      all.push_back(count);
  return all;
}

class BranchAndBound {
 public:
  BranchAndBound(const Computation& computation, const OrderClasses& classes, const Tile& base,
                 double capacity, const RaggedOptions& options)
      : computation_(computation), classes_(classes), capacity_(capacity), options_(options) {
    for (int d = 0; d < computation.dims(); ++d) {
      const Dim dim{d};
      whole_[dim] = round_up(computation.extent(dim), base[dim]);
      std::vector<std::int64_t>& sizes = sizes_.emplace_back(
          counts(whole_[dim] / base[dim], options.sizes, is_affine(computation, dim)));
      for (std::int64_t& size : sizes) size *= base[dim];
    }
    best_.elements = kInfinity;
  }

  RaggedTile run() {
    Node root;
    for (std::size_t d = 0; d < sizes_.size(); ++d)
      root.high[d] = static_cast<std::int16_t>(sizes_[d].size() - 1);
    push(root);
    double left = kInfinity;
    while (!open_.empty()) {
      const Node node = open_.top();
      left = node.bound;
      if (node.bound >= (1 - kRelative) * best_.elements || best_.nodes >= options_.most_nodes)
        break;
      open_.pop();
      ++best_.nodes;
      branch(node);
      left = kInfinity;
    }
    best_.bound = std::min(left, best_.elements);
    return best_;
  }

 private:
  Tile tile_at(const Positions& positions) const {
    Tile tile{};
    for (std::size_t d = 0; d < sizes_.size(); ++d)
      tile[Dim{static_cast<int>(d)}] = sizes_[d][static_cast<std::size_t>(positions[d])];
    return tile;
  }

  bool may_fit(const Tile& tile) const {
    return static_cast<double>(required(computation_, tile, std::nullopt, CapacityRule::ideal)) <=
           capacity_;
  }
  bool fits(const Tile& tile, const LoopOrder& order) const {
    std::optional<Dim> next;
    for (auto dim = order.rbegin(); dim != order.rend() && !next; ++dim)
      if (tile[*dim] < whole_[*dim]) next = *dim;
    return static_cast<double>(required(computation_, tile, next, options_.rule)) <= capacity_;
  }

  /// Nothing when not even the smallest sizes fit.
  bool propagate(Node& node) const {
    const Tile low = tile_at(node.low);
    if (!may_fit(low)) return false;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      Tile tile = low;
      const auto fits_at = [&](std::int64_t size) {
        tile[Dim{static_cast<int>(d)}] = size;
        return may_fit(tile);
      };
      const auto first = sizes_[d].begin() + node.low[d] + 1;
      const auto last = sizes_[d].begin() + node.high[d] + 1;
      node.high[d] = static_cast<std::int16_t>(std::partition_point(first, last, fits_at) -
                                               sizes_[d].begin() - 1);
    }
    return true;
  }

  /// The largest corner with real trips.
  double bound_of(const Node& node) const {
    const Tile high = tile_at(node.high);
    PerDim<double> tile{}, whole{};
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const Dim dim{static_cast<int>(d)};
      tile[dim] = static_cast<double>(high[dim]);
      whole[dim] = static_cast<double>(whole_[dim]);
    }
    double least = kInfinity;
    for (const OrderClass& each : classes_.classes)
      least =
          std::min(least, weighted(computation_, volumes(computation_, each.order, tile, whole)));
    return least;
  }

  void try_tile(const Tile& tile) {
    for (std::size_t c = 0; c < classes_.classes.size(); ++c) {
      const LoopOrder& order = classes_.classes[c].order;
      if (!fits(tile, order)) continue;
      const auto moved =
          static_cast<double>(weighted(computation_, volumes(computation_, order, tile, whole_)));
      if (moved >= best_.elements) continue;
      best_.elements = moved;
      best_.tile = tile;
      best_.order_class = static_cast<int>(c);
    }
  }

  /// From the smallest corner, one axis after the other as far as it goes.
  void try_greedy(const Node& node) {
    for (std::size_t first = 0; first < sizes_.size(); ++first) {
      Positions at = node.low;
      for (std::size_t i = 0; i < sizes_.size(); ++i)
        grow(at, (first + i) % sizes_.size(), node.high);
      try_tile(tile_at(at));
    }
  }

  /// Along `axis` until the next size would not fit.
  void grow(Positions& at, std::size_t axis, const Positions& high) const {
    while (at[axis] < high[axis]) {
      ++at[axis];
      if (may_fit(tile_at(at))) continue;
      --at[axis];
      return;
    }
  }

  void push(Node node) {
    if (!propagate(node)) return;
    try_tile(tile_at(node.low));
    if (node.low == node.high) return;
    node.bound = bound_of(node);
    if (node.bound < (1 - kRelative) * best_.elements) open_.push(node);
  }

  void branch(const Node& node) {
    try_greedy(node);
    std::size_t widest = 0;
    double ratio = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const auto size = [&](std::int16_t at) {
        return static_cast<double>(sizes_[d][static_cast<std::size_t>(at)]);
      };
      const double own = size(node.high[d]) / size(node.low[d]);
      if (own <= ratio) continue;
      ratio = own;
      widest = d;
    }
    const auto middle = static_cast<std::int16_t>((node.low[widest] + node.high[widest]) / 2);
    Node small = node, large = node;
    small.high[widest] = middle;
    large.low[widest] = static_cast<std::int16_t>(middle + 1);
    push(small);
    push(large);
  }

  const Computation& computation_;
  const OrderClasses& classes_;
  double capacity_;
  RaggedOptions options_;
  Tile whole_{};
  std::vector<std::vector<std::int64_t>> sizes_;
  std::priority_queue<Node> open_;
  RaggedTile best_;
};

}  // namespace

RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options) {
  return BranchAndBound(computation, classes, base, capacity, options).run();
}

}  // namespace tileplan
