// SPDX-License-Identifier: Apache-2.0
// Tiles above a base box, with footprints and volumes tabulated: models/footprint.h and
// models/movement.h say what is computed (start reading there); this is the same, fast enough for a
// search.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capacity.h"
#include "computation.h"
#include "orders.h"
#include "tile_axis.h"

namespace tileplan {

/// A tile: for each axis the position in its list of sizes.
using Point = std::array<std::int16_t, kMaxDims>;

/// Elements of each tensor.
using Footprints = std::array<double, kOperands>;

/// One tile inside another: what all order classes share.
struct Walk {
  Point tile{}, within{};
  std::array<double, kMaxDims> trips{};  ///< within / tile, per axis
  double total = 1;                      ///< product of `trips`
  Footprints footprints{};               ///< of the tile's mean block
};

/// Elements that a cache is filled with, and that it writes back (the transfers of a tensor beyond
/// its first).
struct Traffic {
  double reads = 0;
  double writes = 0;
};

/// A combination of a base box and the extents it covers.
struct TileRange {
  const Tile& base;
  const Tile& extents;
  /// Dims that may be split unevenly; reductions never are.
  std::array<Splits, kMaxDims> splits{};
};

/// Elements are counted in doubles: exact below 2^53 where all tiles are equal.
class Lattice {
 public:
  /// Requires: the base divides the extents; every dim above its base stands in every order of
  /// `classes`. Without any class there is one order, of no loops.
  Lattice(const Computation& computation, const TileRange& range, const OrderClasses& classes);

  const std::vector<TileAxis>& axes() const { return axes_; }
  int orders() const { return static_cast<int>(orders_.size()); }
  /// Axes of an order class, innermost first.
  const std::vector<int>& order(int order_class) const { return orders_[order_class]; }
  /// True when every reduction that has an axis occurs in both inputs.
  bool shares_reductions() const { return shares_reductions_; }
  Point base() const { return Point{}; }
  Point whole() const { return whole_; }
  /// The largest blocks.
  Tile tile(const Point& point) const;
  double points() const;  ///< tiles, of all levels together

  Walk walk(const Point& tile, const Point& within) const;
  /// Of the largest blocks, as capacities count.
  Footprints footprints(const Point& tile) const;
  /// Their sum over tensors.
  double footprint(const Point& tile) const;
  /// Traffic of one step that reuses nothing.
  Traffic reload(const Walk& walk) const;
  /// The innermost loop of the class along which `tile` is not the whole extent; -1 when it is
  /// everything. It does not depend on the tile around, so that what fits stays feasible when that
  /// one grows.
  int next(const Point& tile, int order_class) const;
  /// models/capacity.h: elements that must fit, with `next` (or -1) as next active loop.
  double required(const Point& tile, const Footprints& footprints, int next,
                  CapacityRule rule) const;
  /// Volumes of one execution of `within`: models/movement.h, summed over tensors.
  Traffic volume(const Walk& walk, int order_class) const;
  /// Executions of `within` in the whole computation.
  double executions(const Point& within) const;

 private:
  struct Factor {   // one data dim that depends on an axis
    int count = 0;  // of its axes
    std::array<int, kMaxDims> axes{};
    std::array<int, kMaxDims> strides{};
    std::vector<double> card;                  // of the largest blocks
    std::vector<std::vector<double>> doubled;  // per own axis: card with that size doubled
    std::vector<double> mean;                  // of card over all blocks
    std::vector<std::vector<double>> fresh;    // per own axis: values that a step along it adds

    std::size_t at(const Point& tile) const {
      std::size_t place = 0;
      for (int i = 0; i < count; ++i) place += static_cast<std::size_t>(strides[i] * tile[axes[i]]);
      return place;
    }
  };
  struct Table {          // one tensor
    double constant = 1;  // data dims that depend on no axis
    double writes = 0;    // transfers beyond the first
    std::vector<Factor> factors;
    std::array<int, kMaxDims> factor_of{};  // per axis; -1: absent
    std::array<int, kMaxDims> place_in{};   // of the axis among the factor's axes
  };

  void add_orders(const OrderClasses& classes, const PerDim<int>& axis_of_dim);
  Factor factor_of(const DataDim& data, const std::vector<int>& axes) const;
  void fill(Factor& factor, const DataDim& data, int place) const;
  Table table_of(const TensorAccess& tensor) const;
  double footprint_of(const Table& table, const Point& tile) const;
  double mean_footprint_of(const Table& table, const Point& tile) const;
  double in_ways(const Footprints& footprints, const CapacityRule& rule) const;
  double swept(const Walk& walk, int tensor, int axis) const;

  std::vector<TileAxis> axes_;
  std::vector<std::vector<int>> orders_;
  std::vector<Table> tables_;
  Tile base_{};
  Point whole_{};
  bool shares_reductions_ = true;
};

}  // namespace tileplan
