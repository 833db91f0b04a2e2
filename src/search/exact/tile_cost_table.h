// SPDX-License-Identifier: Apache-2.0
// This file tabulates footprints and volumes of the tiles above a base box, which is faster than
// the functions of models/footprint.h and models/movement.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capacity.h"
#include "computation.h"
#include "orders.h"
#include "tile_axis.h"

namespace tileplan {

/// It gives a tile by the position of its size on each axis.
using TileIndex = std::array<std::int16_t, kMaxDims>;

/// It counts the elements of each tensor.
using Footprints = std::array<double, kOperands>;

/// Describes one tile inside another, which all order classes share.
struct Nesting {
  TileIndex tile{}, within{};
  std::array<double, kMaxDims> trips{};  ///< It is within / tile per axis.
  double total = 1;                      ///< It is the product of `trips`.
  Footprints footprints{};               ///< The mean block of the tile has these.
};

/// Counts the elements that fill a cache and those that it writes back, which are the transfers of
/// a tensor beyond its first.
struct Traffic {
  double reads = 0;
  double writes = 0;
};

/// Holds a base box and the extents that it covers.
struct TileRange {
  const Tile& base;
  const Tile& extents;
  /// These dims may be split unevenly, except for reductions.
  std::array<Splits, kMaxDims> splits{};
};

/// Tabulates elements as doubles, which are exact below 2^53 where all tiles are equal.
class TileCostTable {
 public:
  /// Requires that the base divides the extents, and that every order of `classes` has all dims
  /// above their base. Without classes there is one order, which has no loops.
  TileCostTable(const Computation& computation, const TileRange& range,
                const OrderClasses& classes);

  const std::vector<TileAxis>& axes() const { return axes_; }
  int orders() const { return static_cast<int>(orders_.size()); }
  /// Returns the axes of an order class, innermost first.
  const std::vector<int>& order(int order_class) const { return orders_[order_class]; }
  /// Returns true when every reduction that has an axis occurs in both inputs.
  bool shares_reductions() const { return shares_reductions_; }
  /// Returns true when `tile` is one register tile, reductions aside.
  bool is_register_tile(const TileIndex& tile) const;
  /// Returns the reduction steps inside `tile`.
  double steps(const TileIndex& tile) const;
  TileIndex base() const { return TileIndex{}; }
  TileIndex whole() const { return whole_; }
  /// Returns the largest blocks of `point`.
  Tile tile(const TileIndex& point) const;
  double points() const;  ///< It counts the tiles of all levels together.

  Nesting nesting(const TileIndex& tile, const TileIndex& within) const;
  /// Returns the elements of the largest blocks, which capacities count.
  Footprints footprints(const TileIndex& tile) const;
  /// Returns the sum of `footprints` over tensors.
  double footprint(const TileIndex& tile) const;
  /// Returns the traffic of one step that reuses nothing.
  Traffic reload(const Nesting& nesting) const;
  /// Returns the innermost loop of the class along which `tile` is not the whole extent, or -1. It
  /// ignores the tile around, so that a tile that fits still fits when that grows.
  int next(const TileIndex& tile, int order_class) const;
  /// Returns the elements that must fit (models/capacity.h) if `next` (or -1) is the next loop.
  double required(const TileIndex& tile, const Footprints& footprints, int next,
                  CapacityRule rule) const;
  /// Returns the volumes of one execution of `within`, summed over tensors (models/movement.h).
  Traffic volume(const Nesting& nesting, int order_class) const;
  /// Returns how often `within` is executed in the whole computation.
  double executions(const TileIndex& within) const;

 private:
  struct Factor {   // It is one data dim that depends on an axis.
    int count = 0;  // It counts the axes.
    std::array<int, kMaxDims> axes{};
    std::array<int, kMaxDims> strides{};
    std::vector<double> card;                  // It counts elements of the largest blocks.
    std::vector<std::vector<double>> doubled;  // It is `card` with the size of one axis doubled.
    std::vector<double> mean;                  // It is the mean of `card` over all blocks.
    std::vector<std::vector<double>> fresh;  // It counts the new values of each step along an axis.

    std::size_t at(const TileIndex& tile) const {
      std::size_t place = 0;
      for (int i = 0; i < count; ++i) place += static_cast<std::size_t>(strides[i] * tile[axes[i]]);
      return place;
    }
  };
  using Cards = std::vector<double> Factor::*;
  struct TensorTable {
    double constant = 1;  // It covers the data dims that depend on no axis.
    double writes = 0;    // It counts the transfers beyond the first.
    std::vector<Factor> factors;
    std::array<int, kMaxDims> factor_of{};  // It is -1 for absent axes.
    std::array<int, kMaxDims> place_in{};   // It is the position of the axis in the factor.

    double footprint(const TileIndex& tile, Cards cards) const;
  };

  void add_orders(const OrderClasses& classes, const PerDim<int>& axis_of_dim);
  Factor factor_of(const DataDim& data, const std::vector<int>& axes) const;
  void fill(Factor& factor, const DataDim& data, int place) const;
  TensorTable table_of(const TensorAccess& tensor) const;
  double sweep_volume(const Nesting& nesting, int tensor, int axis) const;

  std::vector<TileAxis> axes_;
  std::vector<std::vector<int>> orders_;
  std::vector<TensorTable> tables_;
  Tile base_{};
  TileIndex whole_{};
  bool shares_reductions_ = true;
};

}  // namespace tileplan
