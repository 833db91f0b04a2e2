// SPDX-License-Identifier: Apache-2.0
// This file searches the cut of each branch from the outermost loop inwards, then applies rule (V)
// from the cut outwards.
#include "flat.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "cache_cut.h"
#include "footprint.h"

namespace tileplan {
namespace {

// Holds the size, along one dimension, of a whole part of a lambda together with one block of a
// neighbouring part. The larger neighbouring block counts.
struct Neighbour {
  Dim dim{};
  std::int64_t size = 0;
};

struct State {
  FlatTraffic traffic;
  CacheCut cut;
  // Is true, per tensor, while no active loop between the cut and the current loop is over a
  // dimension of the tensor. The next loop then reuses all elements of the tensor or loads only new
  // ones.
  std::array<bool, kOperands> untouched{};
};

std::int64_t covered(const Part& part) { return part.times * part.size; }

std::int64_t total_bytes(const Computation& computation, const State& state) {
  std::int64_t bytes = 0;
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    bytes += computation.tensors[t].element_bytes() * state.traffic.volumes.values[t];
  return bytes;
}

// Replaces each list of blocks (lambda) of a single part by an equal plain loop.
Nest choose_single_parts(Nest nest) {
  for (std::size_t i = 0; i < nest.loops.size(); ++i)
    if (nest.loops[i].parts.size() == 1) nest = with_part(nest, i, nest.loops[i].parts.front());
  return nest;
}

class FlatModel {
 public:
  FlatModel(const Computation& computation, const Nest& nest, std::int64_t capacity,
            CapacityRule rule, const Storage* storage)
      : computation_(computation),
        capacity_(capacity),
        rule_(rule),
        storage_(storage),
        nest_(choose_single_parts(nest)),
        positions_(nest_.loops.size()) {
    std::iota(positions_.begin(), positions_.end(), std::size_t{0});
    remove_inactive(0);
    boxes_.resize(nest_.loops.size() + 1);
    for (std::size_t t = 0; t < present_.size(); ++t)
      present_[t] = present_dims(computation.tensors[t]);
  }

  FlatTraffic traffic() {
    FlatTraffic traffic = evaluate(0, std::nullopt).traffic;
    traffic.next_capacity = next_capacity_;
    return traffic;
  }

  // Returns the traffic and the cut of the loops from `first` inwards. In a branch of a lambda, the
  // rule lru2 requires that the whole part fits together with a block of the next or of the
  // previous part; `neighbour` holds the size of both together.
  State evaluate(std::size_t first, const std::optional<Neighbour>& neighbour) {
    const std::size_t lambda = fill_boxes(first);
    std::size_t cut = first;
    while (cut <= lambda && !fits(first, cut, neighbour)) ++cut;
    if (cut > lambda && lambda < nest_.loops.size()) {
      State joined = at_lambda(lambda);
      if (!joined.cut.larger)
        joined.cut.larger = {{positions_[lambda], counted(first, lambda, neighbour)}};
      return pass_loops(joined, lambda, first);
    }
    cut = std::min(cut, lambda);
    State state = at_cut(cut);
    state.cut.counted = counted(first, cut, neighbour);
    if (cut > first) state.cut.larger = {{positions_[cut - 1], counted(first, cut - 1, neighbour)}};
    return pass_loops(state, cut, first);
  }

 private:
  void remove_inactive(std::size_t first) {
    std::size_t kept = first;
    for (std::size_t i = first; i < nest_.loops.size(); ++i) {
      if (!nest_.loops[i].is_active()) continue;
      if (kept != i) nest_.loops[kept] = std::move(nest_.loops[i]);
      positions_[kept++] = positions_[i];
    }
    nest_.loops.resize(kept);
    positions_.resize(kept);
  }

  // Sets boxes_[i] to the box of the loops from i inwards. Returns the position of the outermost
  // list of blocks (lambda), or the number of loops if there is none.
  std::size_t fill_boxes(std::size_t first) {
    std::size_t outermost = nest_.loops.size();
    boxes_[outermost] = nest_.base;
    for (std::size_t i = nest_.loops.size(); i-- > first;) {
      const NestLoop& loop = nest_.loops[i];
      boxes_[i] = boxes_[i + 1];
      std::int64_t& size = boxes_[i][loop.dim];
      size = loop.is_lambda() ? covered(loop.parts) : size * loop.trips;
      if (loop.is_lambda()) outermost = i;
    }
    return outermost;
  }

  // Returns the box at `position` and the dimension of the next loop outside it. The whole nest and
  // a whole part of a lambda have no next loop. Under the rule lru2, the box of a whole part
  // includes the neighbouring block.
  CountedBox counted(std::size_t first, std::size_t position,
                     const std::optional<Neighbour>& neighbour) const {
    CountedBox result{.box = boxes_[position]};
    if (position > first)
      result.next = nest_.loops[position - 1].dim;
    else if (neighbour && rule_.kind == Capacity::lru2)
      result.box[neighbour->dim] = neighbour->size;
    return result;
  }

  // Returns true when the box at `position` and its neighbour fit by the capacity rule, and, if
  // there is a `storage_`, the cache lines of the box fit and do not conflict. The cache lines are
  // tested last because counting them takes longer.
  bool fits(std::size_t first, std::size_t position, const std::optional<Neighbour>& neighbour) {
    const auto [box, next] = counted(first, position, neighbour);
    return has_room(required(computation_, box, next, rule_)) &&
           (storage_ == nullptr || (has_room(whole_lines(computation_, box, *storage_)) &&
                                    crowded_set(computation_, box, *storage_).lines == 0));
  }

  // Returns true when the capacity is at least `units`. Otherwise it notes that a box may fit from
  // a capacity of `units` on.
  bool has_room(std::int64_t units) {
    if (units <= capacity_) return true;
    next_capacity_ = std::min(next_capacity_, units);
    return false;
  }

  State at_cut(std::size_t position) const {
    const Tile& box = boxes_[position];
    State state{.traffic = {.cut = box, .walked = {{box, box, box}}},
                .cut = {.position = position == 0 ? 0 : positions_[position - 1] + 1},
                .untouched = {true, true, true}};
    for (std::size_t t = 0; t < present_.size(); ++t)
      state.traffic.volumes.values[t] = footprint(computation_.tensors[t], box);
    return state;
  }

  bool is_present_in(std::size_t tensor, Dim dim) const {
    return (present_[tensor] >> index(dim) & 1) != 0;
  }

  std::int64_t footprint_with(std::size_t tensor, Tile box, Dim dim, std::int64_t size) const {
    box[dim] = size;
    return footprint(computation_.tensors[tensor], box);
  }

  // Applies rule (V) to the plain loops outside position `inner`, out to position `outer`.
  State pass_loops(State state, std::size_t inner, std::size_t outer) const {
    for (std::size_t i = inner; i-- > outer;)
      for (std::size_t t = 0; t < present_.size(); ++t)
        pass(state, t, nest_.loops[i], boxes_[i + 1]);
    return state;
  }

  // Updates the volume of `tensor` for one loop around `box`: the loop reuses the elements, loads
  // only new elements in each step, or loads everything again.
  void pass(State& state, std::size_t tensor, const NestLoop& loop, const Tile& box) const {
    std::int64_t& volume = state.traffic.volumes.values[tensor];
    if (!state.untouched[tensor]) {
      volume *= loop.trips;
      return;
    }
    if (!is_present_in(tensor, loop.dim)) return;
    const std::int64_t two = footprint_with(tensor, box, loop.dim, 2 * box[loop.dim]);
    volume += (loop.trips - 1) * (two - volume);
    state.untouched[tensor] = false;
    state.traffic.walked.values[tensor] = box;
    state.traffic.walked.values[tensor][loop.dim] *= loop.trips;
  }

  State at_lambda(std::size_t lambda) {
    const Nest whole = nest_;
    const std::vector<std::size_t> positions = positions_;
    const NestLoop& node = whole.loops[lambda];
    const Tile node_box = boxes_[lambda];
    std::vector<State> branches;
    for (std::size_t part = 0; part < node.parts.size(); ++part) {
      positions_ = positions;
      branches.push_back(branch(whole, lambda, part));
    }
    nest_ = whole;
    positions_ = positions;
    boxes_[lambda] = node_box;
    State joined = std::ranges::max(
        branches, {}, [&](const State& branch) { return total_bytes(computation_, branch); });
    joined.traffic.parts = parts_at(lambda);
    for (std::size_t t = 0; t < present_.size(); ++t)
      join_tensor(joined, t, branches, node, node_box);
    joined.traffic.parts = with_inner_parts(joined.traffic.parts, branches);
    return joined;
  }

  // Evaluates the branch in which a plain loop over part `at` replaces the lambda.
  State branch(const Nest& whole, std::size_t lambda, std::size_t at) {
    const std::vector<Part>& parts = whole.loops[lambda].parts;
    nest_ = with_part(whole, lambda, parts[at]);
    remove_inactive(lambda + 1);
    const std::size_t first = parts[at].times > 1 ? lambda : lambda + 1;
    const std::int64_t before = at > 0 ? parts[at - 1].size : 0;
    const std::int64_t after = at + 1 < parts.size() ? parts[at + 1].size : 0;
    return evaluate(
        first, Neighbour{whole.loops[lambda].dim, covered(parts[at]) + std::max(before, after)});
  }

  // Returns the parts of the lambda at position `lambda` without their volumes.
  std::vector<TrafficPart> parts_at(std::size_t lambda) const {
    std::size_t branches = 1;
    for (std::size_t i = lambda + 1; i < nest_.loops.size(); ++i)
      if (nest_.loops[i].is_lambda()) branches *= nest_.loops[i].parts.size();
    std::vector<TrafficPart> parts;
    const auto all = static_cast<double>(covered(nest_.loops[lambda].parts));
    for (const Part& part : nest_.loops[lambda].parts)
      parts.push_back(
          {.iterations = static_cast<double>(covered(part)) / all, .branches = branches});
    return parts;
  }

  // Divides each of `parts` whose cut lies inside a further lambda into the parts of that lambda.
  static std::vector<TrafficPart> with_inner_parts(const std::vector<TrafficPart>& parts,
                                                   const std::vector<State>& branches) {
    std::vector<TrafficPart> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::vector<TrafficPart>& inner = branches[i].traffic.parts;
      if (inner.empty()) all.push_back(parts[i]);
      for (TrafficPart part : inner) {
        part.iterations *= parts[i].iterations;
        for (std::size_t t = 0; t < kOperands; ++t)
          part.volumes.values[t] *= parts[i].volumes.values[t];
        all.push_back(part);
      }
    }
    return all;
  }

  void join_tensor(State& joined, std::size_t tensor, const std::vector<State>& branches,
                   const NestLoop& node, const Tile& box) const {
    const bool untouched = std::ranges::all_of(
        branches, [&](const State& branch) { return branch.untouched[tensor]; });
    const bool present = is_present_in(tensor, node.dim);
    joined.untouched[tensor] = untouched && !present;
    if (untouched && present) joined.traffic.walked.values[tensor] = box;
    std::vector<std::int64_t> volumes(branches.size());
    std::ranges::transform(branches, volumes.begin(), [&](const State& branch) {
      return branch.traffic.volumes.values[tensor];
    });
    if (untouched && present)
      volumes = parts_in_sequence(tensor, node.parts, node.dim, box);
    else if (untouched)  // All parts reuse what the first one loads.
      std::fill(volumes.begin() + 1, volumes.end(), 0);
    const std::int64_t volume = std::reduce(volumes.begin(), volumes.end(), std::int64_t{0});
    joined.traffic.volumes.values[tensor] = volume;
    for (std::size_t i = 0; i < volumes.size(); ++i)
      joined.traffic.parts[i].volumes.values[tensor] =
          static_cast<double>(volumes[i]) / static_cast<double>(volume);
  }

  // Returns the number of elements that each part loads, when the parts run one after another and
  // each loads only elements that the previous part did not touch.
  std::vector<std::int64_t> parts_in_sequence(std::size_t tensor, const std::vector<Part>& parts,
                                              Dim dim, const Tile& box) const {
    std::vector<std::int64_t> volumes{footprint_with(tensor, box, dim, covered(parts.front()))};
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::int64_t before = covered(parts[i - 1]);
      volumes.push_back(footprint_with(tensor, box, dim, before + covered(parts[i])) -
                        footprint_with(tensor, box, dim, before));
    }
    return volumes;
  }

  const Computation& computation_;
  std::int64_t capacity_;
  std::int64_t next_capacity_ = std::numeric_limits<std::int64_t>::max();
  CapacityRule rule_;
  const Storage* storage_;
  Nest nest_;  // Has only active loops and, for outer lambdas, loops over one of their parts.
  std::vector<std::size_t> positions_;  // Are the positions of nest_'s loops in the given nest.
  std::vector<Tile> boxes_;
  std::array<std::uint32_t, kOperands> present_{};
};

}  // namespace

FlatTraffic flat_traffic(const Computation& computation, const Nest& nest, std::int64_t capacity,
                         CapacityRule rule, const Storage* storage) {
  return FlatModel(computation, nest, capacity, rule, storage).traffic();
}

CacheCut cache_cut(const Computation& computation, const Nest& nest, std::int64_t capacity,
                   CapacityRule rule, const Storage* storage) {
  FlatModel model(computation, nest, capacity, rule, storage);
  return model.evaluate(0, std::nullopt).cut;
}

PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule) {
  return flat_traffic(computation, nest, capacity, rule).volumes;
}

}  // namespace tileplan
