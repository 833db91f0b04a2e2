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

/// Identifies a tile by the position of its size on each axis.
using TileIndex = std::array<std::int16_t, kMaxDims>;

/// Holds the number of units (Computation::unit_bytes) of each tensor.
using Footprints = std::array<double, kOperands>;

/// Describes one tile inside another. The values are independent of the order class.
struct Nesting {
  TileIndex tile{}, within{};
  /// Counts the trips of the loop along each axis, which is within / tile.
  std::array<double, kMaxDims> trips{};
  double total = 1;  ///< Is the product of `trips`.
  /// Gives the number of units of each tensor, as the mean over all blocks. Blocks of uneven
  /// splits have different sizes.
  Footprints footprints{};
};

/// Counts the units that fill a cache, and the units that the cache writes back. Units of
/// the output are written back as often as they fill the cache, and other units never.
struct Traffic {
  double reads = 0;
  double writes = 0;
};

/// Holds a base box and the extents, which are multiples of it.
struct TileRange {
  const Tile& base;
  const Tile& extents;
  /// Tells, for each dimension, whether tiles may be uneven. Reductions are always split evenly.
  std::array<Splits, kMaxDims> splits{};
};

/// Holds tables of footprints and volumes in units (Computation::unit_bytes) as doubles, which are
/// exact below 2^53 when all tiles are equal.
class TileCostTable {
 public:
  /// Requires that the base divides the extents, and that every order of `classes` has all
  /// dimensions above their base. If there are no classes, no dimension may be above its base, and
  /// the table has one order without loops.
  TileCostTable(const Computation& computation, const TileRange& range,
                const OrderClasses& classes);

  const std::vector<TileAxis>& axes() const { return axes_; }
  int orders() const { return static_cast<int>(orders_.size()); }
  /// Returns the axes of an order class, innermost first.
  const std::vector<int>& order(int order_class) const { return orders_[order_class]; }
  /// Returns true when every reduction that has an axis occurs in the input and the weights.
  bool shares_reductions() const { return shares_reductions_; }
  /// Returns true when `tile` has the size of the base along all dimensions except reductions.
  bool is_register_tile(const TileIndex& tile) const;
  /// Returns the number of reduction steps inside `tile`.
  double steps(const TileIndex& tile) const;
  TileIndex base() const { return TileIndex{}; }
  TileIndex whole() const { return whole_; }
  /// Returns the tile at `point`, with the larger block of each uneven split.
  Tile tile(const TileIndex& point) const;
  double points() const;  ///< Returns the number of tiles that a level may have.

  Nesting nesting(const TileIndex& tile, const TileIndex& within) const;
  /// Returns the number of units of each tensor in the larger blocks, which must fit.
  Footprints footprints(const TileIndex& tile) const;
  double footprint(const TileIndex& tile) const;
  /// Returns the traffic of loading one `nesting.tile` and writing back its outputs when nothing is
  /// reused.
  Traffic reload(const Nesting& nesting) const;
  /// Returns the axis of the innermost loop of the class along which `tile` is not the whole
  /// extent, or -1. Outer tiles are ignored, so that `tile` still fits when they grow.
  int next(const TileIndex& tile, int order_class) const;
  /// Returns the number of units that must fit (models/capacity.h) when the next loop is along
  /// axis `next`, or when there is no next loop (-1). Doubled sizes may exceed the extent here.
  double required(const TileIndex& tile, const Footprints& footprints, int next,
                  CapacityRule rule) const;
  /// Returns the volumes of one execution of `within`, summed over tensors (models/movement.h).
  Traffic volume(const Nesting& nesting, int order_class) const;
  /// Returns the number of times that `within` is executed in the whole computation.
  double executions(const TileIndex& within) const;

 private:
  /// Holds a table of the number of values that one index of a tensor takes, for all tile sizes of
  /// the axes in it. The footprint of the tensor is the product of its factors and of
  /// TensorTable::constant.
  struct Factor {
    int count = 0;  // Counts the axes on which the index depends.
    std::array<int, kMaxDims> axes{};
    std::array<int, kMaxDims> strides{};
    std::vector<double> card;                  // Counts values in the larger blocks.
    std::vector<std::vector<double>> doubled;  // Holds `card` with one axis doubled.
    std::vector<double> mean;                  // Holds the mean of `card` over all blocks.
    std::vector<std::vector<double>> fresh;    // Counts new values per step along an axis.

    std::size_t at(const TileIndex& tile) const {
      std::size_t place = 0;
      for (int i = 0; i < count; ++i) place += static_cast<std::size_t>(strides[i] * tile[axes[i]]);
      return place;
    }
  };
  using Cards = std::vector<double> Factor::*;
  struct TensorTable {
    // Counts the units of an element, times the values of the indices that depend on no axis.
    double constant = 1;
    double writes = 0;  // Counts the transfers beyond the first.
    std::vector<Factor> factors;
    std::array<int, kMaxDims> factor_of{};  // Gives the factor that depends on each axis, or -1.
    std::array<int, kMaxDims> place_in{};   // Gives the position of each axis in its factor.

    double footprint(const TileIndex& tile, Cards cards) const;
  };

  void add_orders(const OrderClasses& classes, const PerDim<int>& axis_of_dim);
  Factor factor_of(const DataDim& data, const std::vector<int>& axes) const;
  void fill(Factor& factor, const DataDim& data, int place) const;
  TensorTable table_of(const TensorAccess& tensor, std::int64_t unit_bytes) const;
  double sweep_volume(const Nesting& nesting, int tensor, int axis) const;

  std::vector<TileAxis> axes_;
  std::vector<std::vector<int>> orders_;
  std::vector<TensorTable> tables_;
  Tile base_{};
  TileIndex whole_{};
  bool shares_reductions_ = true;
};

}  // namespace tileplan
