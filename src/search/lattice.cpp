// SPDX-License-Identifier: Apache-2.0
// Divisor tiles above a base box: size lists, tables of card, rule (V) by table look-up.
#include "lattice.h"

#include <algorithm>
#include <cmath>

#include "check.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

/// For each of `factors` at the positions `among`: the position there of its smallest proper
/// multiple, or -1.
std::vector<std::int16_t> next_multiples(const std::vector<std::int64_t>& factors,
                                         const std::vector<std::int16_t>& among) {
  std::vector<std::int16_t> up(factors.size(), std::int16_t{-1});
  for (auto i = among.begin(); i != among.end(); ++i) {
    const auto multiple = std::find_if(
        i + 1, among.end(), [&](std::int16_t j) { return factors[j] % factors[*i] == 0; });
    if (multiple != among.end()) up[*i] = *multiple;
  }
  return up;
}

TileAxis axis_of(Dim dim, std::int64_t base, std::int64_t extent) {
  TileAxis axis;
  axis.dim = dim;
  const std::vector<std::int64_t> factors = divisors(extent / base);
  for (const std::int64_t factor : factors)
    axis.sizes.push_back(static_cast<double>(base * factor));
  for (const std::int64_t top : factors) {
    std::vector<std::int16_t>& below = axis.below.emplace_back();
    std::vector<double>& trips = axis.trips.emplace_back();
    for (std::size_t i = 0; i < factors.size(); ++i) {
      trips.push_back(static_cast<double>(top) / static_cast<double>(factors[i]));
      if (top % factors[i] == 0) below.push_back(static_cast<std::int16_t>(i));
    }
    axis.up.push_back(next_multiples(factors, below));
  }
  return axis;
}

}  // namespace

Lattice::Lattice(const Computation& computation, const Tile& base, const Tile& extents,
                 const OrderClasses& classes)
    : base_(base) {
  PerDim<int> axis_of_dim;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    TILEPLAN_CHECK(extents[dim] % base[dim] == 0, "the base box must divide the extents");
    axis_of_dim[dim] = -1;
    if (extents[dim] == base[dim]) continue;
    axis_of_dim[dim] = static_cast<int>(axes_.size());
    axes_.push_back(axis_of(dim, base[dim], extents[dim]));
    axes_.back().reduction = role(computation, dim) == Role::reduction;
    whole_[axes_.size() - 1] = static_cast<std::int16_t>(axes_.back().sizes.size() - 1);
  }
  for (const TensorAccess& tensor : computation.tensors) tables_.push_back(table_of(tensor));
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (int t = 0; t + 1 < kOperands && axes_[a].reduction; ++t)
      shares_reductions_ = shares_reductions_ && tables_[t].factor_of[a] >= 0;
  add_orders(classes, axis_of_dim);
}

void Lattice::add_orders(const OrderClasses& classes, const PerDim<int>& axis_of_dim) {
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

Lattice::Factor Lattice::factor_of(const DataDim& data, const std::vector<int>& axes) const {
  Factor factor;
  factor.count = static_cast<int>(axes.size());
  int places = 1;
  for (int i = 0; i < factor.count; ++i) {
    factor.axes[i] = axes[i];
    factor.strides[i] = places;
    places *= static_cast<int>(axes_[axes[i]].sizes.size());
  }
  factor.card.resize(places);
  factor.doubled.assign(axes.size(), std::vector<double>(places));
  for (int place = 0; place < places; ++place) {
    Tile tile = base_;
    for (int i = 0; i < factor.count; ++i) {
      const TileAxis& axis = axes_[axes[i]];
      const int position = place / factor.strides[i] % static_cast<int>(axis.sizes.size());
      tile[axis.dim] = static_cast<std::int64_t>(axis.sizes[position]);
    }
    factor.card[place] = static_cast<double>(tileplan::card(data, tile));
    for (int i = 0; i < factor.count; ++i) {
      Tile twice = tile;
      twice[axes_[axes[i]].dim] *= 2;
      factor.doubled[i][place] = static_cast<double>(tileplan::card(data, twice));
    }
  }
  return factor;
}

Lattice::Table Lattice::table_of(const TensorAccess& tensor) const {
  Table table;
  table.writes = tensor.transfers - 1;
  table.factor_of.fill(-1);
  for (const DataDim& data : tensor.data) {
    std::vector<int> axes;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      for (const Term& term : data.terms)
        if (term.dim == axes_[a].dim && term.coefficient != 0) axes.push_back(static_cast<int>(a));
    if (axes.empty()) {
      table.constant *= static_cast<double>(tileplan::card(data, base_));
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

Tile Lattice::tile(const Point& point) const {
  Tile tile = base_;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    tile[axes_[a].dim] = static_cast<std::int64_t>(axes_[a].sizes[point[a]]);
  return tile;
}

double Lattice::footprint_of(const Table& table, const Point& tile) const {
  double elements = table.constant;
  for (const Factor& factor : table.factors) elements *= factor.card[factor.at(tile)];
  return elements;
}

Walk Lattice::walk(const Point& tile, const Point& within) const {
  Walk walk{.tile = tile, .within = within, .footprints = footprints(tile)};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    walk.trips[a] = axes_[a].trips[within[a]][tile[a]];
    walk.total *= walk.trips[a];
  }
  return walk;
}

Footprints Lattice::footprints(const Point& tile) const {
  Footprints elements{};
  for (std::size_t t = 0; t < tables_.size(); ++t) elements[t] = footprint_of(tables_[t], tile);
  return elements;
}

double Lattice::footprint(const Point& tile) const {
  double elements = 0;
  for (const Table& table : tables_) elements += footprint_of(table, tile);
  return elements;
}

Traffic Lattice::reload(const Walk& walk) const {
  Traffic traffic;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    traffic.reads += walk.footprints[t];
    traffic.writes += tables_[t].writes * walk.footprints[t];
  }
  return traffic;
}

int Lattice::next(const Point& tile, int order_class) const {
  for (const int axis : orders_[order_class])
    if (tile[axis] != whole_[axis]) return axis;
  return -1;
}

double Lattice::in_ways(const Footprints& footprints, const CapacityRule& rule) const {
  const auto way = static_cast<double>(rule.way_elements);
  double elements = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) elements += std::ceil(footprints[t] / way) * way;
  return elements;
}

double Lattice::required(const Point& tile, const Footprints& footprints, int next,
                         CapacityRule rule) const {
  if (rule.kind == Capacity::ways) return in_ways(footprints, rule);
  const bool doubles = next >= 0 && rule.kind == Capacity::lru2;
  double elements = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const int index = doubles ? table.factor_of[next] : -1;
    if (index < 0) {
      elements += footprints[t];
      continue;
    }
    const Factor& factor = table.factors[index];
    const std::size_t place = factor.at(tile);
    elements += footprints[t] / factor.card[place] * factor.doubled[table.place_in[next]][place];
  }
  return elements;
}

/// Volume of a tensor whose innermost active present loop is `axis`, loops outside it not counted.
double Lattice::swept(const Walk& walk, int tensor, int axis) const {
  const Table& table = tables_[tensor];
  const Factor& factor = table.factors[table.factor_of[axis]];
  const std::size_t place = factor.at(walk.tile);
  const double card = factor.card[place];
  const double fresh = factor.doubled[table.place_in[axis]][place] - card;
  const double sweep = card + (walk.trips[axis] - 1) * fresh;
  return walk.footprints[tensor] / card * sweep;
}

Traffic Lattice::volume(const Walk& walk, int order_class) const {
  Traffic traffic;
  const auto settle = [&](int t, double elements) {
    traffic.reads += elements;
    traffic.writes += tables_[t].writes * elements;
  };
  double inside = 1;  // product of the trips of all loops up to the current one
  std::array<bool, kOperands> settled{};
  int open = kOperands;
  for (const int axis : orders_[order_class]) {
    if (open == 0) return traffic;
    if (walk.tile[axis] == walk.within[axis]) continue;
    inside *= walk.trips[axis];
    for (int t = 0; t < kOperands; ++t) {
      if (settled[t] || tables_[t].factor_of[axis] < 0) continue;
      settled[t] = true;
      --open;
      settle(t, swept(walk, t, axis) * (walk.total / inside));
    }
  }
  for (int t = 0; t < kOperands; ++t)
    if (!settled[t]) settle(t, walk.footprints[t]);
  return traffic;
}

double Lattice::executions(const Point& within) const {
  double count = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    count *= axes_[a].sizes.back() / axes_[a].sizes[within[a]];
  return count;
}

}  // namespace tileplan
