// SPDX-License-Identifier: Apache-2.0
// This file enumerates iterations, and simulates caches with LRU replacement and with optimal
// replacement.
#include "oracle.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <set>
#include <unordered_map>
#include <utility>

namespace tileplan::oracle {
namespace {

// The test problems are so small that absolute values of indices stay below half of this number.
constexpr std::int64_t kIndexRange = 1024;

Element element(const TensorAccess& tensor, int number, const Tile& point) {
  Element id = number;
  for (const DataDim& data : tensor.data) {
    std::int64_t value = data.offset;
    for (const Term& term : data.terms) value += term.coefficient * point[term.dim];
    id = id * kIndexRange + value + kIndexRange / 2;
  }
  return id;
}

/// Calls `visit(point)` for the points of `box` whose dimensions without a loop have their first
/// value. The last loop of `loops` is innermost.
template <class Visit>
void for_each_point(const Box& box, const LoopOrder& loops, const Visit& visit) {
  Tile point = box.first;
  while (true) {
    visit(point);
    std::size_t loop = loops.size();
    for (; loop > 0; --loop) {
      const Dim dim = loops[loop - 1];
      if (++point[dim] < box.first[dim] + box.size[dim]) break;
      point[dim] = box.first[dim];
    }
    if (loop == 0) return;
  }
}

LoopOrder dims_of(const TensorAccess& tensor) {
  LoopOrder dims;
  for (const DataDim& data : tensor.data)
    for (const Term& term : data.terms) dims.push_back(term.dim);
  return dims;
}

std::int64_t count_missing(const std::vector<Element>& now, const std::vector<Element>& before) {
  std::vector<Element> fresh;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::back_inserter(fresh));
  return static_cast<std::int64_t>(fresh.size());
}

/// Returns the position of the innermost loop over a dimension of `tensor` that has more than one
/// step, or -1 if there is none.
int innermost_moving(const TensorAccess& tensor, const Box& box, const LoopOrder& order,
                     const Tile& size) {
  const LoopOrder dims = dims_of(tensor);
  for (int at = static_cast<int>(order.size()) - 1; at >= 0; --at) {
    const Dim dim = order[static_cast<std::size_t>(at)];
    const bool present = std::find(dims.begin(), dims.end(), dim) != dims.end();
    if (present && size[dim] < box.size[dim]) return at;
  }
  return -1;
}

/// Returns the position in `order` of the outermost loop that advances between the tiles `from` and
/// `to`.
int advanced_loop(const Box& from, const Box& to, const LoopOrder& order) {
  int at = 0;
  while (from.first[order[static_cast<std::size_t>(at)]] ==
         to.first[order[static_cast<std::size_t>(at)]])
    ++at;
  return at;
}

}  // namespace

Box domain(const Computation& computation) {
  Box box;
  for (int d = 0; d < computation.dims(); ++d) box.size[Dim{d}] = computation.extent(Dim{d});
  return box;
}

std::vector<Element> touched(const Computation& computation, int tensor, const Box& box) {
  const TensorAccess& access = computation.tensors[static_cast<std::size_t>(tensor)];
  std::vector<Element> elements;
  for_each_point(box, dims_of(access),
                 [&](const Tile& point) { elements.push_back(element(access, tensor, point)); });
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

std::vector<Box> tiles(const Box& box, const LoopOrder& order, const Tile& size) {
  Box steps = box;
  for (const Dim dim : order) {
    steps.first[dim] = 0;
    steps.size[dim] = (box.size[dim] - 1) / size[dim] + 1;
  }
  std::vector<Box> result;
  for_each_point(steps, order, [&](const Tile& step) {
    Box tile = box;
    for (const Dim dim : order) {
      tile.first[dim] = box.first[dim] + step[dim] * size[dim];
      tile.size[dim] = std::min(size[dim], box.first[dim] + box.size[dim] - tile.first[dim]);
    }
    result.push_back(tile);
  });
  return result;
}

std::vector<Element> accesses(const Computation& computation, const std::vector<Box>& walk,
                              const LoopOrder& order) {
  std::vector<Element> result;
  for (const Box& tile : walk)
    for_each_point(tile, order, [&](const Tile& point) {
      for (int t = 0; t < kOperands; ++t)
        result.push_back(element(computation.tensors[static_cast<std::size_t>(t)], t, point));
    });
  return result;
}

Transitions transitions(const Computation& computation, const Box& box, const LoopOrder& order,
                        const Tile& size) {
  const std::vector<Box> walk = tiles(box, order, size);
  Transitions result;
  std::vector<std::int64_t> in_tile(walk.size(), 0), in_pair(walk.size(), 0);
  for (int t = 0; t < kOperands; ++t) {
    const auto tensor = static_cast<std::size_t>(t);
    const int moving = innermost_moving(computation.tensors[tensor], box, order, size);
    std::vector<Element> before;
    for (std::size_t i = 0; i < walk.size(); ++i) {
      std::vector<Element> now = touched(computation, t, walk[i]);
      const auto count = static_cast<std::int64_t>(now.size());
      const std::int64_t fresh = count_missing(now, before);
      const bool wraps = i > 0 && advanced_loop(walk[i - 1], walk[i], order) < moving;
      result.fresh[tensor] += fresh;
      result.along_one_loop[tensor] += wraps ? count : fresh;
      in_tile[i] += count;
      in_pair[i] += static_cast<std::int64_t>(before.size()) + fresh;
      before = std::move(now);
    }
  }
  result.largest_tile = *std::max_element(in_tile.begin(), in_tile.end());
  result.largest_pair = *std::max_element(in_pair.begin(), in_pair.end());
  return result;
}

std::int64_t lru_misses(const std::vector<Element>& accesses, std::int64_t capacity) {
  std::list<Element> recent;  // The most recently used element is first.
  std::unordered_map<Element, std::list<Element>::iterator> where;
  std::int64_t misses = 0;
  for (const Element wanted : accesses) {
    const auto found = where.find(wanted);
    if (found != where.end()) {
      recent.splice(recent.begin(), recent, found->second);
      continue;
    }
    ++misses;
    if (static_cast<std::int64_t>(recent.size()) == capacity) {
      where.erase(recent.back());
      recent.pop_back();
    }
    recent.push_front(wanted);
    where[wanted] = recent.begin();
  }
  return misses;
}

std::int64_t belady_misses(const std::vector<Element>& accesses, std::int64_t capacity) {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> next_use(accesses.size(), kNever);
  std::unordered_map<Element, std::size_t> later;
  for (std::size_t i = accesses.size(); i-- > 0;) {
    const auto [use, is_last] = later.try_emplace(accesses[i], i);
    if (!is_last) next_use[i] = std::exchange(use->second, i);
  }
  // Holds pairs of the position of the next use and the element, sorted by this position.
  std::set<std::pair<std::size_t, Element>> cached;
  std::int64_t misses = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const bool hit = cached.erase({i, accesses[i]}) == 1;
    if (!hit) {
      ++misses;
      if (static_cast<std::int64_t>(cached.size()) == capacity)
        cached.erase(std::prev(cached.end()));
    }
    cached.emplace(next_use[i], accesses[i]);
  }
  return misses;
}

}  // namespace tileplan::oracle
