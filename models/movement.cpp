// SPDX-License-Identifier: Apache-2.0
// Loop order and tile -> elements that enter one cache: rule (V), one tensor at a time.
#include "movement.h"

#include <optional>
#include <type_traits>

#include "check.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

template <class Size>
struct Walk {
  const LoopOrder& order;
  const PerDim<Size>& tile;
  const PerDim<Size>& within;

  bool active(Dim dim) const { return tile[dim] < within[dim]; }
  Size trips(Dim dim) const {
    if constexpr (std::is_integral_v<Size>)
      return ceil_div(within[dim], tile[dim]);
    else
      return within[dim] / tile[dim];
  }
};

bool contains(std::uint32_t dims, Dim dim) { return (dims >> index(dim) & 1) != 0; }

/// Position in the order of q, the innermost active loop of a present dim; -1 when there is none.
template <class Size>
int innermost_present(const Walk<Size>& walk, std::uint32_t present) {
  int at = static_cast<int>(walk.order.size()) - 1;
  while (at >= 0) {
    const Dim dim = walk.order[static_cast<std::size_t>(at)];
    if (walk.active(dim) && contains(present, dim)) break;
    --at;
  }
  return at;
}

// Values of one data dim while its q walks from end to end: card(2T) - card(T) are new at each
// step.
template <class Size>
Size sweep(const DataDim& data, Dim q, PerDim<Size>& box, const Walk<Size>& walk) {
  const Size size = walk.tile[q];
  const auto card_at = [&](Size q_size) {
    box[q] = q_size;
    const Size values = card(data, box);
    box[q] = size;
    return values;
  };
  const Size first = card_at(size), step = card_at(size + size) - first;
  if constexpr (std::is_integral_v<Size>) {
    const Size trips = walk.trips(q), last = walk.within[q] - (trips - 1) * size;
    const Size last_step = last == size ? step : card_at(size + last) - first;
    return first + (trips - 2) * step + last_step;
  } else {
    return first + (walk.trips(q) - 1) * step;
  }
}

// Loaded values of one data dim: its q sweeps, its other active loops load every piece anew.
template <class Size>
Size loaded(const DataDim& data, std::size_t term, std::optional<Dim> q, PerDim<Size>& box,
            const Walk<Size>& walk) {
  while (term < data.terms.size() &&
         (data.terms[term].dim == q || !walk.active(data.terms[term].dim)))
    ++term;
  if (term == data.terms.size()) return q ? sweep(data, *q, box, walk) : card(data, box);
  const Dim dim = data.terms[term].dim;
  const Size whole = loaded(data, term + 1, q, box, walk);
  if constexpr (std::is_integral_v<Size>) {
    const Size rest = walk.within[dim] % walk.tile[dim];
    if (rest == 0) return walk.trips(dim) * whole;
    box[dim] = rest;
    const Size last = loaded(data, term + 1, q, box, walk);
    box[dim] = walk.tile[dim];
    return (walk.trips(dim) - 1) * whole + last;
  } else {
    return walk.trips(dim) * whole;
  }
}

// Single iterators need no pieces: q and the loops outside it load the whole extent between them.
template <class Size>
Size loaded(const DataDim& data, std::optional<Dim> q, PerDim<Size>& box, const Walk<Size>& walk) {
  if (data.terms.size() == 1) return walk.within[data.terms[0].dim];
  bool here = false;
  for (const Term& term : data.terms) here = here || term.dim == q;
  return loaded(data, 0, here ? q : std::nullopt, box, walk);
}

template <class Size>
Size volume(const TensorAccess& tensor, const Walk<Size>& walk) {
  const std::uint32_t present = present_dims(tensor);
  const int at = innermost_present(walk, present);
  if (at < 0) return footprint(tensor, walk.tile);
  const Dim q = walk.order[static_cast<std::size_t>(at)];
  PerDim<Size> box = walk.tile;
  Size elements = 1;
  for (const DataDim& data : tensor.data) elements *= loaded(data, q, box, walk);
  for (int outside = 0; outside < at; ++outside) {
    const Dim dim = walk.order[static_cast<std::size_t>(outside)];
    if (!contains(present, dim)) elements *= walk.trips(dim);
  }
  return elements;
}

/// True when every dim without a loop lies whole in the tile.
template <class Size>
bool covers(const Computation& computation, const Walk<Size>& walk) {
  std::uint32_t looped = 0;
  for (const Dim dim : walk.order) looped |= std::uint32_t{1} << index(dim);
  for (int d = 0; d < computation.dims(); ++d)
    if (!contains(looped, Dim{d}) && walk.active(Dim{d})) return false;
  return true;
}

template <class Size>
PerTensor<Size> volumes_of(const Computation& computation, const Walk<Size>& walk) {
  TILEPLAN_DCHECK(covers(computation, walk), "a dim without a loop lies whole in the tile");
  PerTensor<Size> result;
  for (std::size_t t = 0; t < result.values.size(); ++t)
    result.values[t] = volume(computation.tensors[t], walk);
  return result;
}

template <class Size>
Size weighted_sum(const Computation& computation, const PerTensor<Size>& volumes) {
  Size sum = 0;
  for (std::size_t t = 0; t < volumes.values.size(); ++t)
    sum += static_cast<Size>(computation.tensors[t].transfers) * volumes.values[t];
  return sum;
}

}  // namespace

PerTensor<std::int64_t> volumes(const Computation& computation, const LoopOrder& order,
                                const Tile& tile, const Tile& within) {
  return volumes_of(computation, Walk<std::int64_t>{order, tile, within});
}

PerTensor<double> volumes(const Computation& computation, const LoopOrder& order,
                          const PerDim<double>& tile, const PerDim<double>& within) {
  return volumes_of(computation, Walk<double>{order, tile, within});
}

std::int64_t weighted(const Computation& computation, const PerTensor<std::int64_t>& volumes) {
  return weighted_sum(computation, volumes);
}

double weighted(const Computation& computation, const PerTensor<double>& volumes) {
  return weighted_sum(computation, volumes);
}

}  // namespace tileplan
