// SPDX-License-Identifier: Apache-2.0
// Eliminating a variable replaces all tables that depend on it by the minimum of their sum over the
// values of the variable. Tables whose sum would be too large are split into parts, each of which
// gets a minimum of its own.
#include "elimination.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tileplan {
namespace {

/// Holds the smallest and the second-smallest cost of the choices that have been eliminated.
struct TwoBest {
  double first = kForbiddenCost, second = kForbiddenCost;

  void add(const TwoBest& other) {
    second = std::min(first + other.second, second + other.first);
    first += other.first;
  }
  void keep_better(const TwoBest& other) {
    second = std::min(std::max(first, other.first), std::min(second, other.second));
    first = std::min(first, other.first);
  }
};

struct TwoBestTable {
  std::vector<int> scope = {};
  std::vector<TwoBest> costs = {};
};

template <class Table>
std::size_t entry_of(const CostSum& sum, const Table& table, const std::vector<int>& values) {
  std::size_t entry = 0;
  for (const int variable : table.scope)
    entry = entry * static_cast<std::size_t>(sum.sizes[static_cast<std::size_t>(variable)]) +
            static_cast<std::size_t>(values[static_cast<std::size_t>(variable)]);
  return entry;
}

/// Changes `values` of the variables in `scope` to the next combination. Returns false after the
/// last combination.
bool next_values(const CostSum& sum, const std::vector<int>& scope, std::vector<int>& values) {
  for (std::size_t i = scope.size(); i-- > 0;) {
    const auto variable = static_cast<std::size_t>(scope[i]);
    if (++values[variable] < sum.sizes[variable]) return true;
    values[variable] = 0;
  }
  return false;
}

double entries_of(const CostSum& sum, const std::set<int>& scope) {
  double entries = 1;
  for (const int each : scope) entries *= sum.sizes[static_cast<std::size_t>(each)];
  return entries;
}

/// Holds an order in which variables are eliminated, and the size of the largest table to which the
/// tables of one variable then add up.
struct Order {
  std::vector<int> variables = {};
  double most_entries = 1;
};

/// Returns an order that always takes the variable whose tables add up to the smallest table. With
/// `auxiliary_first`, auxiliary variables come first.
Order elimination_order(const CostSum& sum, bool auxiliary_first) {
  const std::size_t count = sum.sizes.size();
  std::vector<std::set<int>> around(count);
  for (std::size_t i = 0; i < count; ++i) around[i].insert(static_cast<int>(i));
  for (const CostTable& table : sum.tables)
    for (const int variable : table.scope)
      around[static_cast<std::size_t>(variable)].insert(table.scope.begin(), table.scope.end());
  std::set<std::pair<double, int>> queue;
  const auto key = [&](std::size_t i) {
    const bool later = auxiliary_first && !sum.is_auxiliary[i];
    constexpr double kLater = 1e30;
    return std::pair((later ? kLater : 1.0) * entries_of(sum, around[i]), static_cast<int>(i));
  };
  for (std::size_t i = 0; i < count; ++i) queue.insert(key(i));
  Order order;
  while (!queue.empty()) {
    const int variable = queue.begin()->second;
    const auto at = static_cast<std::size_t>(variable);
    queue.erase(queue.begin());
    order.variables.push_back(variable);
    order.most_entries = std::max(order.most_entries, entries_of(sum, around[at]));
    for (const int near : around[at]) {
      const auto other = static_cast<std::size_t>(near);
      if (other == at) continue;
      queue.erase(key(other));
      around[other].insert(around[at].begin(), around[at].end());
      around[other].erase(variable);
      queue.insert(key(other));
    }
  }
  return order;
}

/// Eliminates the variables in a given order. Each table is stored in the bucket of the variable of
/// its scope that is eliminated first.
class Elimination {
 public:
  Elimination(const CostSum& sum, Order order, double most_entries)
      : sum_(sum),
        order_(std::move(order)),
        most_entries_(most_entries),
        places_(sum.sizes.size()),
        buckets_(sum.sizes.size()) {
    for (std::size_t i = 0; i < order_.variables.size(); ++i)
      places_[static_cast<std::size_t>(order_.variables[i])] = i;
    for (const CostTable& table : sum.tables) {
      TwoBestTable copy{.scope = table.scope};
      for (const double cost : table.costs) copy.costs.push_back({.first = cost});
      put(std::move(copy));
    }
  }

  Minimum run() {
    for (std::size_t place = 0; place < buckets_.size(); ++place) eliminate(place);
    Minimum minimum{.values = std::vector<int>(sum_.sizes.size()),
                    .bound = total_.first,
                    .runner_up = total_.second};
    for (std::size_t place = buckets_.size(); place-- > 0;) choose(place, minimum.values);
    minimum.cost = cost_of(sum_, minimum.values);
    return minimum;
  }

 private:
  void put(TwoBestTable table) {
    if (table.scope.empty()) return total_.add(table.costs.front());
    std::size_t first = buckets_.size();
    for (const int variable : table.scope)
      first = std::min(first, places_[static_cast<std::size_t>(variable)]);
    buckets_[first].push_back(std::move(table));
  }

  static std::set<int> scope_of(const std::vector<const TwoBestTable*>& part) {
    std::set<int> scope;
    for (const TwoBestTable* table : part) scope.insert(table->scope.begin(), table->scope.end());
    return scope;
  }

  void eliminate(std::size_t place) {
    std::vector<std::vector<const TwoBestTable*>> parts;
    for (const TwoBestTable& table : buckets_[place]) {
      const auto fits = std::ranges::find_if(parts, [&](auto part) {
        part.push_back(&table);
        return entries_of(sum_, scope_of(part)) <= most_entries_;
      });
      if (fits == parts.end())
        parts.push_back({&table});
      else
        fits->push_back(&table);
    }
    // If no table depends on the variable, all its values are equally good, and the sum over no
    // tables is used.
    if (parts.empty()) parts.emplace_back();
    for (const auto& part : parts) put(minimum_over(order_.variables[place], part));
  }

  TwoBest sum_at(const std::vector<const TwoBestTable*>& part,
                 const std::vector<int>& values) const {
    TwoBest cost{.first = 0};
    for (const TwoBestTable* table : part) cost.add(table->costs[entry_of(sum_, *table, values)]);
    return cost;
  }

  TwoBestTable minimum_over(int variable, const std::vector<const TwoBestTable*>& part) const {
    std::set<int> scope = scope_of(part);
    scope.erase(variable);
    TwoBestTable result{.scope = {scope.begin(), scope.end()}};
    std::vector<int> values(sum_.sizes.size());
    const auto at = static_cast<std::size_t>(variable);
    do {
      TwoBest least;
      for (values[at] = 0; values[at] < sum_.sizes[at]; ++values[at]) {
        TwoBest cost = sum_at(part, values);
        // Values of an auxiliary variable are no choices, so another value does not count as
        // second-best.
        if (sum_.is_auxiliary[at] && cost.first < least.first)
          least = {.first = cost.first, .second = std::min(cost.second, least.second)};
        else if (!sum_.is_auxiliary[at])
          least.keep_better(cost);
      }
      values[at] = 0;
      result.costs.push_back(least);
    } while (next_values(sum_, result.scope, values));
    return result;
  }

  /// Sets the variable at `place` to its best value. The variables that were eliminated later have
  /// their values already.
  void choose(std::size_t place, std::vector<int>& values) const {
    const auto at = static_cast<std::size_t>(order_.variables[place]);
    double least = kForbiddenCost;
    int best = 0;
    std::vector<const TwoBestTable*> bucket;
    for (const TwoBestTable& table : buckets_[place]) bucket.push_back(&table);
    for (values[at] = 0; values[at] < sum_.sizes[at]; ++values[at])
      if (const double cost = sum_at(bucket, values).first; cost < least) {
        least = cost;
        best = values[at];
      }
    values[at] = best;
  }

  const CostSum& sum_;
  Order order_;
  double most_entries_;
  std::vector<std::size_t> places_;
  std::vector<std::vector<TwoBestTable>> buckets_;
  TwoBest total_{.first = 0};
};

}  // namespace

double cost_of(const CostSum& sum, const std::vector<int>& values) {
  double cost = 0;
  for (const CostTable& table : sum.tables) cost += table.costs[entry_of(sum, table, values)];
  return cost;
}

Minimum minimise(const CostSum& sum, double most_entries) {
  if (Order order = elimination_order(sum, true); order.most_entries <= most_entries)
    return Elimination(sum, std::move(order), most_entries).run();
  Minimum minimum = Elimination(sum, elimination_order(sum, false), most_entries).run();
  minimum.runner_up = kForbiddenCost;
  return minimum;
}

}  // namespace tileplan
