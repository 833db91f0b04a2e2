// SPDX-License-Identifier: Apache-2.0
// This file tabulates `card` over the tiles of all axes and evaluates eq. (V) by look-up.
#include "tile_cost_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "check.h"
#include "footprint.h"

namespace tileplan {
namespace {

double elements(const DataDim& data, const Tile& tile) {
  return static_cast<double>(tileplan::card(data, tile));
}

/// Returns the mean of `value` over all boxes that have the sizes of blocks along `dims` and of
/// `tile` along all other dimensions.
template <class Value>
double mean_over(std::vector<std::pair<Dim, Blocks>> dims, const Tile& tile, const Value& value) {
  if (dims.empty()) return value(tile);
  const auto [dim, blocks] = dims.back();
  dims.pop_back();
  double sum = 0;
  for (const Part& part : {blocks.large, blocks.small}) {
    if (part.times == 0) continue;
    Tile one = tile;
    one[dim] = part.size;
    sum += static_cast<double>(part.times) * mean_over(dims, one, value);
  }
  return sum / static_cast<double>(blocks.large.times + blocks.small.times);
}

/// Returns the number of values that a step along `dim` adds, eq. (V), averaged over an uneven
/// split.
double new_elements(const DataDim& data, Tile tile, Dim dim, const Blocks& blocks) {
  const auto with = [&](std::int64_t size) {
    tile[dim] = size;
    return elements(data, tile);
  };
  const auto [large, small] = blocks;
  const double one = with(large.size), again = with(2 * large.size) - one;
  if (!blocks.is_uneven()) return again;
  const double last = with(small.size);
  const double added = static_cast<double>(large.times - 1) * again +
                       (with(large.size + small.size) - one) +
                       static_cast<double>(small.times - 1) * (with(2 * small.size) - last);
  // The sweep begins with a large block, but (V) begins with a mean block.
  const auto count = static_cast<double>(large.times + small.times);
  const double mean =
      (static_cast<double>(large.times) * one + static_cast<double>(small.times) * last) / count;
  return (one + added - mean) / (count - 1);
}

/// Returns the number of values that a step along `own` adds, averaged over blocks of the other
/// dimensions.
double mean_new_elements(const DataDim& data, const Tile& tile, Dim own,
                         std::vector<std::pair<Dim, Blocks>> uneven) {
  Blocks blocks{.large = {1, tile[own]}, .small = {0, 0}};
  std::erase_if(uneven, [&](const auto& each) {
    if (each.first == own) blocks = each.second;
    return each.first == own;
  });
  return mean_over(std::move(uneven), tile,
                   [&](const Tile& box) { return new_elements(data, box, own, blocks); });
}

}  // namespace

TileCostTable::TileCostTable(const Computation& computation, const TileRange& range,
                             const OrderClasses& classes)
    : base_(range.base) {
  PerDim<int> axis_of_dim;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    const std::int64_t base = range.base[dim], extent = range.extents[dim];
    TILEPLAN_CHECK(extent % base == 0, "the base box must divide the extents");
    axis_of_dim[dim] = -1;
    if (extent == base) continue;
    axis_of_dim[dim] = static_cast<int>(axes_.size());
    const bool reduction = computation.role(dim) == Role::reduction;
    axes_.push_back(tile_axis(dim, base, extent, reduction ? Splits::equal : range.splits[d]));
    axes_.back().reduction = reduction;
    whole_[axes_.size() - 1] = static_cast<std::int16_t>(axes_.back().sizes.size() - 1);
  }
  for (const TensorAccess& tensor : computation.tensors)
    tables_.push_back(table_of(tensor, computation.unit_bytes()));
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (int t = 0; t + 1 < kOperands && axes_[a].reduction; ++t)
      shares_reductions_ = shares_reductions_ && tables_[t].factor_of[a] >= 0;
  add_orders(classes, axis_of_dim);
}

void TileCostTable::add_orders(const OrderClasses& classes, const PerDim<int>& axis_of_dim) {
  for (const OrderClass& order_class : classes.classes) {
    std::vector<int>& order = orders_.emplace_back();
    for (auto dim = order_class.order.rbegin(); dim != order_class.order.rend(); ++dim)
      if (axis_of_dim[*dim] >= 0) order.push_back(axis_of_dim[*dim]);
    TILEPLAN_CHECK(order.size() == axes_.size(), "an order class leaves out a loop");
  }
  if (!orders_.empty()) return;
  TILEPLAN_CHECK(axes_.empty(), "loops without an order class");
  orders_.emplace_back();
}

TileCostTable::Factor TileCostTable::factor_of(const DataDim& data,
                                               const std::vector<int>& axes) const {
  Factor factor;
  factor.count = static_cast<int>(axes.size());
  int places = 1;
  for (int i = 0; i < factor.count; ++i) {
    factor.axes[i] = axes[i];
    factor.strides[i] = places;
    const bool overflows =
        __builtin_mul_overflow(places, static_cast<int>(axes_[axes[i]].sizes.size()), &places);
    TILEPLAN_CHECK(!overflows, "an index has more than 2^31 boxes");
  }
  factor.card.resize(places);
  factor.mean.resize(places);
  factor.doubled.assign(axes.size(), std::vector<double>(places));
  factor.fresh = factor.doubled;
  for (int place = 0; place < places; ++place) fill(factor, data, place);
  return factor;
}

void TileCostTable::fill(Factor& factor, const DataDim& data, int place) const {
  Tile tile = base_;
  std::vector<std::pair<Dim, Blocks>> uneven;
  for (int i = 0; i < factor.count; ++i) {
    const TileAxis& axis = axes_[factor.axes[i]];
    const int position = place / factor.strides[i] % static_cast<int>(axis.sizes.size());
    tile[axis.dim] = axis.blocks[position].large.size;
    if (axis.blocks[position].is_uneven()) uneven.emplace_back(axis.dim, axis.blocks[position]);
  }
  factor.card[place] = factor.mean[place] = elements(data, tile);
  if (!uneven.empty())
    factor.mean[place] =
        mean_over(uneven, tile, [&](const Tile& box) { return elements(data, box); });
  for (int i = 0; i < factor.count; ++i) {
    const Dim own = axes_[factor.axes[i]].dim;
    Tile twice = tile;
    twice[own] *= 2;
    factor.doubled[i][place] = elements(data, twice);
    factor.fresh[i][place] = factor.doubled[i][place] - factor.card[place];
    if (!uneven.empty()) factor.fresh[i][place] = mean_new_elements(data, tile, own, uneven);
  }
}

TileCostTable::TensorTable TileCostTable::table_of(const TensorAccess& tensor,
                                                   std::int64_t unit_bytes) const {
  TensorTable table;
  table.constant = static_cast<double>(tensor.element_bytes()) / static_cast<double>(unit_bytes);
  table.writes = tensor.transfers - 1;
  table.factor_of.fill(-1);
  for (const DataDim& data : tensor.data) {
    std::vector<int> axes;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (coefficient_of(data, axes_[a].dim) != 0) axes.push_back(static_cast<int>(a));
    if (axes.empty()) {
      table.constant *= elements(data, base_);
      continue;
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      table.factor_of[axes[i]] = static_cast<int>(table.factors.size());
      table.place_in[axes[i]] = static_cast<int>(i);
    }
    table.factors.push_back(factor_of(data, axes));
  }
  return table;
}

Tile TileCostTable::tile(const TileIndex& point) const {
  Tile tile = base_;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    tile[axes_[a].dim] = axes_[a].blocks[point[a]].large.size;
  return tile;
}

double TileCostTable::points() const {
  double count = 1;
  for (const TileAxis& axis : axes_) count *= axis.tiles;
  return count;
}

bool TileCostTable::is_register_tile(const TileIndex& tile) const {
  for (std::size_t a = 0; a < axes_.size(); ++a)
    if (!axes_[a].reduction && tile[a] != 0) return false;
  return true;
}

double TileCostTable::steps(const TileIndex& tile) const {
  double steps = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    if (axes_[a].reduction) steps *= axes_[a].sizes[tile[a]] / axes_[a].sizes[0];
  return steps;
}

double TileCostTable::TensorTable::footprint(const TileIndex& tile, Cards cards) const {
  double elements = constant;
  for (const Factor& factor : factors) elements *= (factor.*cards)[factor.at(tile)];
  return elements;
}

Nesting TileCostTable::nesting(const TileIndex& tile, const TileIndex& within) const {
  Nesting nesting{.tile = tile, .within = within};
  for (std::size_t t = 0; t < tables_.size(); ++t)
    nesting.footprints[t] = tables_[t].footprint(tile, &Factor::mean);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    nesting.trips[a] = axes_[a].trips[within[a]][tile[a]];
    nesting.total *= nesting.trips[a];
  }
  return nesting;
}

Footprints TileCostTable::footprints(const TileIndex& tile) const {
  Footprints elements{};
  for (std::size_t t = 0; t < tables_.size(); ++t)
    elements[t] = tables_[t].footprint(tile, &Factor::card);
  return elements;
}

double TileCostTable::footprint(const TileIndex& tile) const {
  double elements = 0;
  for (const TensorTable& table : tables_) elements += table.footprint(tile, &Factor::card);
  return elements;
}

Traffic TileCostTable::reload(const Nesting& nesting) const {
  Traffic traffic;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    traffic.reads += nesting.footprints[t];
    traffic.writes += tables_[t].writes * nesting.footprints[t];
  }
  return traffic;
}

int TileCostTable::next(const TileIndex& tile, int order_class) const {
  for (const int axis : orders_[order_class])
    if (tile[axis] != whole_[axis]) return axis;
  return -1;
}

double TileCostTable::required(const TileIndex& tile, const Footprints& footprints, int next,
                               CapacityRule rule) const {
  const auto way = static_cast<double>(rule.way_elements);
  const bool doubles = next >= 0 && rule.kind == Capacity::lru2;
  double elements = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const TensorTable& table = tables_[t];
    const int index = doubles ? table.factor_of[next] : -1;
    if (index < 0) {
      elements +=
          rule.kind == Capacity::ways ? std::ceil(footprints[t] / way) * way : footprints[t];
      continue;
    }
    const Factor& factor = table.factors[index];
    const std::size_t place = factor.at(tile);
    elements += footprints[t] / factor.card[place] * factor.doubled[table.place_in[next]][place];
  }
  return elements;
}

/// Returns the volume that `tensor` loads while its innermost active loop, along `axis`, runs once.
double TileCostTable::sweep_volume(const Nesting& nesting, int tensor, int axis) const {
  const TensorTable& table = tables_[tensor];
  const Factor& factor = table.factors[table.factor_of[axis]];
  const std::size_t place = factor.at(nesting.tile);
  const double mean = factor.mean[place];
  const double sweep = mean + (nesting.trips[axis] - 1) * factor.fresh[table.place_in[axis]][place];
  return nesting.footprints[tensor] / mean * sweep;
}

Traffic TileCostTable::volume(const Nesting& nesting, int order_class) const {
  Traffic traffic;
  const auto settle = [&](int t, double elements) {
    traffic.reads += elements;
    traffic.writes += tables_[t].writes * elements;
  };
  double inside = 1;  // Counts the trips of all loops so far.
  std::array<bool, kOperands> settled{};
  int open = kOperands;
  for (const int axis : orders_[order_class]) {
    if (open == 0) return traffic;
    if (nesting.tile[axis] == nesting.within[axis]) continue;
    inside *= nesting.trips[axis];
    for (int t = 0; t < kOperands; ++t) {
      if (settled[t] || tables_[t].factor_of[axis] < 0) continue;
      settled[t] = true;
      --open;
      settle(t, sweep_volume(nesting, t, axis) * (nesting.total / inside));
    }
  }
  for (int t = 0; t < kOperands; ++t)
    if (!settled[t]) settle(t, nesting.footprints[t]);
  return traffic;
}

double TileCostTable::executions(const TileIndex& within) const {
  double count = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    count *= axes_[a].means.back() / axes_[a].means[within[a]];
  return count;
}

}  // namespace tileplan
