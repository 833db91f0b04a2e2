// SPDX-License-Identifier: Apache-2.0
// This file extends permutations from the innermost loop outwards until the reuse of every tensor
// is known, and keeps the tables of reuse that no other table dominates.
#include "orders.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "footprint.h"

namespace tileplan {
namespace {

using DimSet = std::uint32_t;

DimSet just(Dim dim) { return DimSet{1} << index(dim); }
bool contains(DimSet dims, Dim dim) { return (dims & just(dim)) != 0; }
bool is_subset(DimSet part, DimSet whole) { return (part & ~whole) == 0; }

/// Holds the loops along which one tensor is reused (REUSE) or loads only new elements (EXPAND).
/// All other loops load the tensor again (SPILL).
struct TensorReuse {
  DimSet reuse = 0;
  DimSet expand = 0;

  auto operator<=>(const TensorReuse&) const = default;
};

using ReuseTable = std::array<TensorReuse, kOperands>;

/// Returns true when no tensor costs more in `a` than in `b` along any dimension (REUSE < EXPAND <
/// SPILL).
bool dominates(const ReuseTable& a, const ReuseTable& b) {
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (!is_subset(b[t].reuse, a[t].reuse)) return false;
    if (!is_subset(b[t].expand, a[t].reuse | a[t].expand)) return false;
  }
  return true;
}

struct Accesses {
  std::vector<Dim> tiled;  ///< Lists the dimensions that have loops, in the order of the domain.
  std::array<DimSet, kOperands> present{};
  /// Holds the dimensions of extent above 1 that share an index of the tensor with another such
  /// dimension.
  std::array<DimSet, kOperands> overlapping{};
};

DimSet overlapping_dims(const Computation& computation, const TensorAccess& tensor) {
  DimSet all = 0;
  for (const DataDim& data : tensor.data) {
    DimSet dims = 0;
    for (const Term& term : data.terms)
      if (computation.extent(term.dim) > 1) dims |= just(term.dim);
    if ((dims & (dims - 1)) != 0) all |= dims;
  }
  return all;
}

Accesses accesses_of(const Computation& computation, std::vector<Dim> tiled) {
  std::sort(tiled.begin(), tiled.end());
  std::erase_if(tiled, [&](Dim dim) { return computation.extent(dim) == 1; });
  Accesses accesses{.tiled = std::move(tiled)};
  for (std::size_t t = 0; t < kOperands; ++t) {
    accesses.present[t] = present_dims(computation.tensors[t]);
    accesses.overlapping[t] = overlapping_dims(computation, computation.tensors[t]);
  }
  return accesses;
}

/// Holds the inner part of a permutation and the reuse that follows from it.
struct Prefix {
  ReuseTable table{};
  /// Bit t is set when a dimension of tensor t is inside, so that row t of the table is final.
  unsigned settled = 0;
  DimSet inside = 0;
  std::vector<Dim> dims;  ///< The innermost dimension comes first.

  /// Prefixes with equal state have the same extensions.
  auto state() const { return std::tie(table, settled, inside); }
};

constexpr unsigned kAllSettled = (1U << kOperands) - 1;

Prefix extend(Prefix prefix, Dim dim, const Accesses& accesses) {
  for (std::size_t t = 0; t < kOperands; ++t) {
    if ((prefix.settled >> t & 1U) != 0) continue;
    if (!contains(accesses.present[t], dim)) {
      prefix.table[t].reuse |= just(dim);
      continue;
    }
    prefix.settled |= 1U << t;
    if (contains(accesses.overlapping[t], dim)) prefix.table[t].expand = just(dim);
  }
  prefix.inside |= just(dim);
  prefix.dims.push_back(dim);
  return prefix;
}

/// Maps each table to the first of its shortest prefixes.
using TablePrefixes = std::map<ReuseTable, std::vector<Dim>>;

/// Returns all extensions of `prefixes` by one dimension, but only one for each state.
std::vector<Prefix> one_longer(const std::vector<Prefix>& prefixes, const Accesses& accesses) {
  std::set<std::tuple<ReuseTable, unsigned, DimSet>> seen;
  std::vector<Prefix> longer;
  for (const Prefix& prefix : prefixes) {
    for (const Dim dim : accesses.tiled) {
      if (contains(prefix.inside, dim)) continue;
      Prefix next = extend(prefix, dim, accesses);
      if (seen.insert(next.state()).second) longer.push_back(std::move(next));
    }
  }
  return longer;
}

/// Returns the tables of all permutations whose inner part is `start`, each with one of the
/// shortest prefixes that determine it.
TablePrefixes reuse_tables(const Prefix& start, const Accesses& accesses) {
  TablePrefixes found;
  std::vector<Prefix> open = {start};
  while (!open.empty()) {
    std::erase_if(open, [&](const Prefix& prefix) {
      const bool all_inside = prefix.dims.size() == accesses.tiled.size();
      if (prefix.settled != kAllSettled && !all_inside) return false;
      found.try_emplace(prefix.table, prefix.dims);
      return true;
    });
    open = one_longer(open, accesses);
  }
  return found;
}

bool dominates_all(const ReuseTable& table, const TablePrefixes& found) {
  return std::ranges::all_of(found,
                             [&](const auto& other) { return dominates(table, other.first); });
}

bool is_minimal(const ReuseTable& table, const TablePrefixes& found) {
  return std::ranges::none_of(found, [&](const auto& other) {
    return other.first != table && dominates(other.first, table);
  });
}

// Returns the dimensions of `prefix` along which some tensor is reused or loads only new elements.
// Any other dimension can move outwards, which never worsens the table.
std::vector<Dim> earning_dims(const ReuseTable& table, const std::vector<Dim>& prefix) {
  DimSet earning = 0;
  for (const TensorReuse& row : table) earning |= row.reuse | row.expand;
  std::vector<Dim> dims = prefix;
  std::erase_if(dims, [&](Dim dim) { return !contains(earning, dim); });
  return dims;
}

/// Returns all tiled dimensions, innermost first, of which `inner` is the inner part. Adjacent
/// dimensions that decide the reuse of no tensor could have any order, so they are listed in domain
/// order when read from the outside. The dimensions outside `inner` are listed in domain order too.
std::vector<Dim> innermost_first(const std::vector<Dim>& inner, const Accesses& accesses) {
  std::vector<Dim> dims = inner;
  Prefix prefix;
  std::size_t run = 0;
  const auto sort_run = [&](std::size_t end) {
    std::sort(dims.begin() + static_cast<std::ptrdiff_t>(run),
              dims.begin() + static_cast<std::ptrdiff_t>(end), std::greater<>());
    run = end + 1;
  };
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const unsigned before = prefix.settled;
    prefix = extend(std::move(prefix), inner[i], accesses);
    if (prefix.settled != before) sort_run(i);
  }
  if (run < dims.size()) sort_run(dims.size());
  for (auto dim = accesses.tiled.rbegin(); dim != accesses.tiled.rend(); ++dim)
    if (!contains(prefix.inside, *dim)) dims.push_back(*dim);
  return dims;
}

std::string join_names(const Computation& computation, const std::vector<Dim>& dims) {
  const bool letters = std::ranges::all_of(
      computation.names, [](const std::string& name) { return name.size() == 1; });
  std::string name;
  for (const Dim dim : dims) {
    if (!letters && !name.empty()) name += '.';
    name += computation.name(dim);
  }
  return name;
}

OrderClass order_class(const Computation& computation, const Accesses& accesses,
                       const ReuseTable& table, const std::vector<Dim>& found_prefix) {
  OrderClass result;
  const std::vector<Dim> dims = innermost_first(earning_dims(table, found_prefix), accesses);
  Prefix prefix;
  for (const Dim dim : dims) {
    prefix = extend(std::move(prefix), dim, accesses);
    if (dominates_all(table, reuse_tables(prefix, accesses))) break;
  }
  result.prefix = prefix.dims;
  result.name = join_names(computation, result.prefix);
  result.order.assign(dims.rbegin(), dims.rend());
  return result;
}

}  // namespace

OrderClasses order_classes(const Computation& computation, const std::vector<Dim>& tiled) {
  const Accesses accesses = accesses_of(computation, tiled);
  const TablePrefixes found = reuse_tables(Prefix{}, accesses);
  OrderClasses result{.signatures = static_cast<int>(found.size())};
  for (const auto& [table, prefix] : found)
    if (is_minimal(table, found))
      result.classes.push_back(order_class(computation, accesses, table, prefix));
  std::ranges::sort(result.classes, {}, [](const OrderClass& each) {
    return std::tuple(each.prefix.size(), each.prefix, each.order);
  });
  return result;
}

OrderClasses order_classes(const Computation& computation) {
  std::vector<Dim> all;
  all.reserve(computation.extents.size());
  for (int d = 0; d < computation.dims(); ++d) all.push_back(Dim{d});
  return order_classes(computation, all);
}

}  // namespace tileplan
