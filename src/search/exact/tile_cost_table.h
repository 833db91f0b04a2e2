// SPDX-License-Identifier: Apache-2.0
// This file tabulates footprints and volumes of the tiles above a base box, fast enough for a
// search. Start reading at models/footprint.h and models/movement.h: this is the same, faster.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capacity.h"
#include "computation.h"
#include "orders.h"
#include "tile_axis.h"

namespace tileplan {

/// A tile is given by the position of its size on each axis.
using TileIndex = std::array<std::int16_t, kMaxDims>;

/// Elements of each tensor.
using Footprints = std::array<double, kOperands>;

/// Describes one tile inside another, which all order classes share.
struct Nesting {
  TileIndex tile{}, within{};
  std::array<double, kMaxDims> trips{};  ///< within / tile, per axis
  double total = 1;                      ///< product of `trips`
  Footprints footprints{};               ///< of the tile's mean block
};

/// Counts the elements that fill a cache and those that it writes back (the transfers of a tensor
/// beyond its first).
struct Traffic {
  double reads = 0;
  double writes = 0;
};

/// A base box and the extents it covers.
struct TileRange {
  const Tile& base;
  const Tile& extents;
  /// Dims that may be split unevenly; reductions never are.
  std::array<Splits, kMaxDims> splits{};
};

/// Elements are doubles, which are exact below 2^53 where all tiles are equal.
class TileCostTable {
 public:
  /// Requires: the base divides the extents, and every dim above its base stands in every order of
  /// `classes`. Without classes there is one order, which has no loops.
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
  /// Returns the largest blocks.
  Tile tile(const TileIndex& point) const;
  double points() const;  ///< tiles, of all levels together

  Nesting nesting(const TileIndex& tile, const TileIndex& within) const;
  /// Returns the elements of the largest blocks, which capacities count.
  Footprints footprints(const TileIndex& tile) const;
  /// Returns their sum over tensors.
  double footprint(const TileIndex& tile) const;
  /// Returns the traffic of one step that reuses nothing.
  Traffic reload(const Nesting& nesting) const;
  /// Returns the innermost loop of the class along which `tile` is not the whole extent; -1 when it
  /// is everything. The tile around does not matter, so that what fits stays feasible when that
  /// grows.
  int next(const TileIndex& tile, int order_class) const;
  /// Returns the elements that must fit (models/capacity.h), with `next` (or -1) as the next active
  /// loop.
  double required(const TileIndex& tile, const Footprints& footprints, int next,
                  CapacityRule rule) const;
  /// Returns the volumes of one execution of `within`, summed over tensors (models/movement.h).
  Traffic volume(const Nesting& nesting, int order_class) const;
  /// Returns how often `within` is executed in the whole computation.
  double executions(const TileIndex& within) const;

 private:
  struct Factor {   // one data dim that depends on an axis
    int count = 0;  // number of axes
    std::array<int, kMaxDims> axes{};
    std::array<int, kMaxDims> strides{};
    std::vector<double> card;                  // elements of the largest blocks
    std::vector<std::vector<double>> doubled;  // per own axis: `card` with that size doubled
    std::vector<double> mean;                  // `card`, mean over all blocks
    std::vector<std::vector<double>> fresh;    // per own axis: new values of each step along it

    std::size_t at(const TileIndex& tile) const {
      std::size_t place = 0;
      for (int i = 0; i < count; ++i) place += static_cast<std::size_t>(strides[i] * tile[axes[i]]);
      return place;
    }
  };
  using Cards = std::vector<double> Factor::*;
  struct TensorTable {    // one tensor
    double constant = 1;  // data dims that depend on no axis
    double writes = 0;    // transfers beyond the first
    std::vector<Factor> factors;
    std::array<int, kMaxDims> factor_of{};  // per axis; -1: absent
    std::array<int, kMaxDims> place_in{};   // position of the axis in the factor

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
