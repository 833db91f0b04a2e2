// SPDX-License-Identifier: Apache-2.0
// This file minimises movement by branch and bound over boxes of tile sizes. The box with the least
// bound is visited first.
#include "ragged.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "integers.h"
#include "movement.h"

namespace tileplan {
namespace {

constexpr double kInfiniteVolume = std::numeric_limits<double>::infinity();
/// Bounds that are below the best volume by at most this share of it count as equal to it.
constexpr double kRelative = 1e-9;

using Positions = std::array<std::int32_t, kMaxDims>;

/// Describes the box of tiles whose positions in the lists of sizes are from `low` to `high` on
/// each axis.
struct Node {
  double bound = 0;
  Positions low{}, high{};

  /// Compares in reverse, so that the priority queue returns the smallest bound first.
  bool operator<(const Node& other) const { return bound > other.bound; }
};

/// Returns true when each iteration of `dim` after the first adds a constant number of values of
/// the index `data`, however small the tile.
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

/// Returns true when every index is affine in `dim`.
bool is_affine(const Computation& computation, Dim dim) {
  for (const TensorAccess& tensor : computation.tensors)
    for (const DataDim& data : tensor.data)
      if (!is_affine(computation, data, dim)) return false;
  return true;
}

/// Limits the length of a list of sizes; longer lists are thinned out.
constexpr std::int64_t kMostCounts = std::int64_t{1} << 16;
/// Sizes of a thinned list are sampled in steps of one block plus 1 / kStep of the size.
constexpr std::int64_t kStep = 1000;

/// Returns, for each possible trip count over `blocks` blocks, the smallest tile with this trip
/// count, in blocks.
std::vector<std::int64_t> counts_of_trips(std::int64_t blocks) {
  std::vector<std::int64_t> all = {1};
  while (all.back() < blocks) all.push_back(ceil_div(blocks, ceil_div(blocks, all.back()) - 1));
  return all;
}

/// Returns all divisors of `blocks` and a sample of further sizes, each of which is the smallest
/// with its number of trips.
std::vector<std::int64_t> thinned_counts(std::int64_t blocks) {
  std::vector<std::int64_t> all = divisors(blocks);
  for (std::int64_t count = 1; count < blocks; count += 1 + count / kStep)
    all.push_back(ceil_div(blocks, ceil_div(blocks, count)));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

struct Axis {
  std::vector<std::int64_t> sizes;  ///< Sizes are ascending.
  /// Tells whether the list was thinned out, so that multiples of `base` that it lacks may be
  /// better.
  bool thinned = false;
  std::int64_t base = 1;

  std::int64_t size(std::int32_t at) const { return sizes[static_cast<std::size_t>(at)]; }
  /// Returns the largest size that position `at` represents.
  std::int64_t up_to(std::int32_t at) const {
    const bool last = static_cast<std::size_t>(at) + 1 == sizes.size();
    return thinned && !last ? size(at + 1) - base : size(at);
  }
};

/// Returns the axis of a dimension of `blocks` blocks. The base is one block. If all indices are
/// affine in the dimension (`affine`), a few sizes suffice: the smallest one for each number of
/// trips.
Axis axis_of_blocks(std::int64_t blocks, TileSizeChoice sizes, bool affine) {
  if (sizes == TileSizeChoice::divisors) return {.sizes = divisors(blocks)};
  // There are about 2 * sqrt(blocks) trip counts, each with one smallest size.
  const bool few_trips = blocks / (kMostCounts / 2) <= kMostCounts / 2;
  if (affine && few_trips) return {.sizes = counts_of_trips(blocks)};
  if (affine || blocks > kMostCounts) return {.sizes = thinned_counts(blocks), .thinned = true};
  std::vector<std::int64_t> all(static_cast<std::size_t>(blocks));
  std::iota(all.begin(), all.end(), 1);
  return {.sizes = std::move(all)};
}

Axis axis_of(std::int64_t whole, std::int64_t base, TileSizeChoice sizes, bool affine) {
  Axis axis = axis_of_blocks(whole / base, sizes, affine);
  for (std::int64_t& size : axis.sizes) size *= base;
  axis.base = base;
  return axis;
}

class BranchAndBound {
 public:
  BranchAndBound(const Computation& computation, const OrderClasses& classes, const Tile& base,
                 double capacity, const RaggedOptions& options)
      : computation_(computation), classes_(classes), capacity_(capacity), options_(options) {
    for (int d = 0; d < computation.dims(); ++d) {
      const Dim dim{d};
      whole_[dim] = round_up(computation.extent(dim), base[dim]);
      axes_.push_back(axis_of(whole_[dim], base[dim], options.sizes, is_affine(computation, dim)));
    }
    best_.elements = kInfiniteVolume;
  }

  RaggedTile run() {
    Node root;
    for (std::size_t d = 0; d < axes_.size(); ++d)
      root.high[d] = static_cast<std::int32_t>(axes_[d].sizes.size() - 1);
    push(root);
    double left = kInfiniteVolume;
    while (!open_.empty()) {
      const Node node = open_.top();
      left = node.bound;
      if (node.bound >= (1 - kRelative) * best_.elements || best_.nodes >= options_.most_nodes)
        break;
      open_.pop();
      ++best_.nodes;
      branch(node);
      left = kInfiniteVolume;
    }
    best_.bound = std::min({left, best_.elements, between_});
    return best_;
  }

 private:
  Tile tile_at(const Positions& positions) const {
    Tile tile{};
    for (std::size_t d = 0; d < axes_.size(); ++d)
      tile[Dim{static_cast<int>(d)}] = axes_[d].size(positions[d]);
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

  /// Lowers `node.high` to positions that may fit. Returns false when not even `node.low` fits.
  bool propagate(Node& node) const {
    const Tile low = tile_at(node.low);
    if (!may_fit(low)) return false;
    for (std::size_t d = 0; d < axes_.size(); ++d)
      node.high[d] = farthest(low, d, node.low[d], node.high[d]);
    return true;
  }

  /// Returns a lower bound on the volume of every tile in `node`: the volume of its largest tile
  /// under the best order, with fractional trip counts. With three or more iterators in an index,
  /// the result may exceed the least volume (movement.h).
  double bound_of(const Node& node) const {
    PerDim<double> tile{}, whole{};
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const Dim dim{static_cast<int>(d)};
      tile[dim] = static_cast<double>(axes_[d].up_to(node.high[d]));
      whole[dim] = static_cast<double>(whole_[dim]);
    }
    double least = kInfiniteVolume;
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

  /// Tries tiles that grow from the smallest corner along one axis after another.
  void try_greedy(const Node& node) {
    for (std::size_t first = 0; first < axes_.size(); ++first) {
      Positions at = node.low;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::size_t d = (first + i) % axes_.size();
        at[d] = farthest(tile_at(at), d, at[d], node.high[d]);
      }
      try_tile(tile_at(at));
    }
  }

  /// Returns the last position in low .. high on axis `d` where `tile` may fit. Requires that it
  /// fits at `low`.
  std::int32_t farthest(Tile tile, std::size_t d, std::int32_t low, std::int32_t high) const {
    const auto fits_at = [&](std::int64_t size) {
      tile[Dim{static_cast<int>(d)}] = size;
      return may_fit(tile);
    };
    const auto begin = axes_[d].sizes.begin();
    return static_cast<std::int32_t>(
        std::partition_point(begin + low + 1, begin + high + 1, fits_at) - begin - 1);
  }

  void push(Node node) {
    if (!propagate(node)) return;
    try_tile(tile_at(node.low));
    if (node.low == node.high) return leave(node);
    node.bound = bound_of(node);
    if (node.bound < (1 - kRelative) * best_.elements) open_.push(node);
  }

  /// Records a bound for the sizes between the listed ones, when a node has a single tile, which
  /// was tried already.
  void leave(const Node& node) {
    if (std::ranges::any_of(axes_, &Axis::thinned)) between_ = std::min(between_, bound_of(node));
  }

  void branch(const Node& node) {
    try_greedy(node);
    std::size_t widest = 0;
    double ratio = 0;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      if (node.low[d] == node.high[d]) continue;
      const double own = static_cast<double>(axes_[d].size(node.high[d])) /
                         static_cast<double>(axes_[d].size(node.low[d]));
      if (own <= ratio) continue;
      ratio = own;
      widest = d;
    }
    const std::int32_t middle = (node.low[widest] + node.high[widest]) / 2;
    Node small = node, large = node;
    small.high[widest] = middle;
    large.low[widest] = middle + 1;
    push(small);
    push(large);
  }

  const Computation& computation_;
  const OrderClasses& classes_;
  double capacity_;
  RaggedOptions options_;
  Tile whole_{};
  std::vector<Axis> axes_;
  /// Bounds the volume of the tiles that a thinned list leaves out.
  double between_ = kInfiniteVolume;
  std::priority_queue<Node> open_;
  RaggedTile best_;
};

}  // namespace

RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options) {
  return BranchAndBound(computation, classes, base, capacity, options).run();
}

}  // namespace tileplan
