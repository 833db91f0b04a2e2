// SPDX-License-Identifier: Apache-2.0
// This file applies rule (V) to one tensor at a time.
#include "movement.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "check.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

template <class Size>
struct TiledLoops {
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

// Returns the number of values of one index of a tensor (a data dim) that are loaded while loop q
// runs once: sweep_q of (V). Changes `box` and restores it.
template <class Size>
Size sweep(const DataDim& data, Dim q, PerDim<Size>& box, const TiledLoops<Size>& loops) {
  const Size size = loops.tile[q];
  const auto card_at = [&](Size q_size) {
    box[q] = q_size;
    const Size values = card(data, box);
    box[q] = size;
    return values;
  };
  const Size first = card_at(size), step = card_at(size + size) - first;
  if constexpr (std::is_integral_v<Size>) {
    const Size trips = loops.trips(q), last = loops.within[q] - (trips - 1) * size;
    const Size last_step = last == size ? step : card_at(size + last) - first;
    return first + (trips - 2) * step + last_step;
  } else {
    return first + (loops.trips(q) - 1) * step;
  }
}

// Returns the number of loaded values of one index along its terms from number `term` on. Loop q
// loads only new values in each step, and each step of another active loop loads all values of its
// piece. Changes `box` and restores it.
template <class Size>
Size loaded_values(const DataDim& data, std::size_t term, std::optional<Dim> q, PerDim<Size>& box,
                   const TiledLoops<Size>& loops) {
  while (term < data.terms.size() &&
         (data.terms[term].dim == q || !loops.active(data.terms[term].dim)))
    ++term;
  if (term == data.terms.size()) return q ? sweep(data, *q, box, loops) : card(data, box);
  const Dim dim = data.terms[term].dim;
  const Size whole = loaded_values(data, term + 1, q, box, loops);
  if constexpr (std::is_integral_v<Size>) {
    const Size rest = loops.within[dim] % loops.tile[dim];
    if (rest == 0) return loops.trips(dim) * whole;
    box[dim] = rest;
    const Size last = loaded_values(data, term + 1, q, box, loops);
    box[dim] = loops.tile[dim];
    return (loops.trips(dim) - 1) * whole + last;
  } else {
    return loops.trips(dim) * whole;
  }
}

// Returns the number of loaded values of one index. An index of a single iterator is loaded over
// its whole extent by loop q and the loops outside it.
template <class Size>
Size loaded_values(const DataDim& data, std::optional<Dim> q, PerDim<Size>& box,
                   const TiledLoops<Size>& loops) {
  if (data.terms.size() == 1) return loops.within[data.terms[0].dim];
  return loaded_values(data, 0, q && is_present(data, *q) ? q : std::nullopt, box, loops);
}

template <class Size>
Size volume(const TensorAccess& tensor, const TiledLoops<Size>& loops) {
  const std::uint32_t present = present_dims(tensor);
  const auto q = std::find_if(loops.order.rbegin(), loops.order.rend(),
                              [&](Dim dim) { return loops.active(dim) && contains(present, dim); });
  if (q == loops.order.rend()) return footprint(tensor, loops.tile);
  PerDim<Size> box = loops.tile;
  Size elements = 1;
  for (const DataDim& data : tensor.data) elements *= loaded_values(data, *q, box, loops);
  for (auto outside = loops.order.begin(); outside != q.base() - 1; ++outside)
    if (!contains(present, *outside)) elements *= loops.trips(*outside);
  return elements;
}

/// Returns true when the tile spans the whole extent of every dimension that has no loop.
template <class Size>
bool covers(const Computation& computation, const TiledLoops<Size>& loops) {
  std::uint32_t looped = 0;
  for (const Dim dim : loops.order) looped |= std::uint32_t{1} << index(dim);
  for (int d = 0; d < computation.dims(); ++d)
    if (!contains(looped, Dim{d}) && loops.active(Dim{d})) return false;
  return true;
}

template <class Size>
PerTensor<Size> volumes_of(const Computation& computation, const TiledLoops<Size>& loops) {
  TILEPLAN_DCHECK(covers(computation, loops), "a dim without a loop lies whole in the tile");
  PerTensor<Size> result;
  for (std::size_t t = 0; t < result.values.size(); ++t)
    result.values[t] = volume(computation.tensors[t], loops);
  return result;
}

template <class Size>
Size weighted_sum(const Computation& computation, const PerTensor<Size>& volumes) {
  const std::int64_t unit = computation.unit_bytes();
  Size sum = 0;
  for (std::size_t t = 0; t < volumes.values.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    const std::int64_t units = tensor.transfers * (tensor.element_bytes() / unit);
    sum += static_cast<Size>(units) * volumes.values[t];
  }
  return sum;
}

}  // namespace

PerTensor<std::int64_t> volumes(const Computation& computation, const LoopOrder& order,
                                const Tile& tile, const Tile& within) {
  return volumes_of(computation, TiledLoops<std::int64_t>{order, tile, within});
}

PerTensor<double> volumes(const Computation& computation, const LoopOrder& order,
                          const PerDim<double>& tile, const PerDim<double>& within) {
  return volumes_of(computation, TiledLoops<double>{order, tile, within});
}

std::int64_t weighted(const Computation& computation, const PerTensor<std::int64_t>& volumes) {
  return weighted_sum(computation, volumes);
}

double weighted(const Computation& computation, const PerTensor<double>& volumes) {
  return weighted_sum(computation, volumes);
}

}  // namespace tileplan
