// SPDX-License-Identifier: Apache-2.0
// The flat model: model.md 3.2, 3.3.
#include "flat.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "footprint.h"

namespace tileplan {
namespace {

// A loop that advances, or a lambda.
struct Step {
  Dim dim{};
  std::int64_t trips = 1;
  const std::vector<Part>* parts = nullptr;
};

// Size of one dim in the union of a lambda's branch and its neighbour.
struct Neighbour {
  Dim dim{};
  std::int64_t size = 0;
};

struct State {
  FlatTraffic traffic;
  std::array<bool, kOperands> virgin{};  // no active loop of a present dim passed yet
};

std::int64_t covered(const Part& part) { return part.times * part.size; }

std::int64_t covered(const std::vector<Part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t sum, const Part& part) { return sum + covered(part); });
}

std::int64_t total(const State& state) {
  const auto& values = state.traffic.volumes.values;
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::vector<Step> active_steps(const Nest& nest) {
  std::vector<Step> steps;
  steps.reserve(nest.loops.size());
  for (const NestLoop& loop : nest.loops)
    if (loop.is_lambda() || loop.trips > 1)
      steps.push_back({loop.dim, loop.trips, loop.is_lambda() ? &loop.parts : nullptr});
  return steps;
}

class FlatModel {
 public:
  FlatModel(const Computation& computation, const Nest& nest, std::int64_t capacity,
            CapacityRule rule)
      : computation_(computation),
        capacity_(capacity),
        rule_(rule),
        steps_(active_steps(nest)),
        boxes_(steps_.size() + 1) {
    for (std::size_t t = 0; t < present_.size(); ++t)
      present_[t] = present_dims(computation.tensors[t]);
  }

  // The loops from `first` inwards over `base`; `neighbour` follows them when they are a branch.
  State evaluate(std::size_t first, const Tile& base, const std::optional<Neighbour>& neighbour) {
    const std::size_t lambda = fill_boxes(first, base);
    for (std::size_t position = first; position <= lambda; ++position)
      if (fits(first, position, neighbour)) return walk(at_cut(position), position, first);
    if (lambda == steps_.size()) return walk(at_cut(lambda), lambda, first);
    return walk(at_lambda(lambda, base), lambda, first);
  }

 private:
  // boxes_[i] = the box inside position i. Returns the outermost lambda, or the register tile's
  // position.
  std::size_t fill_boxes(std::size_t first, const Tile& base) {
    std::size_t outermost = steps_.size();
    boxes_[outermost] = base;
    for (std::size_t i = steps_.size(); i-- > first;) {
      boxes_[i] = boxes_[i + 1];
      std::int64_t& size = boxes_[i][steps_[i].dim];
      if (steps_[i].parts != nullptr) {
        size = covered(*steps_[i].parts);
        outermost = i;
      } else {
        size *= steps_[i].trips;
      }
    }
    return outermost;
  }

  bool fits(std::size_t first, std::size_t position,
            const std::optional<Neighbour>& neighbour) const {
    if (position > first)
      return required(computation_, boxes_[position], steps_[position - 1].dim, rule_) <= capacity_;
    Tile box = boxes_[position];
    if (neighbour && rule_ == CapacityRule::lru2) box[neighbour->dim] = neighbour->size;
    return required(computation_, box, std::nullopt, rule_) <= capacity_;
  }

  State at_cut(std::size_t position) const {
    State state;
    state.traffic.cut = boxes_[position];
    state.traffic.walked.values.fill(boxes_[position]);
    state.virgin.fill(true);
    for (std::size_t t = 0; t < present_.size(); ++t)
      state.traffic.volumes.values[t] = footprint(computation_.tensors[t], boxes_[position]);
    return state;
  }

  bool is_present_in(std::size_t tensor, Dim dim) const {
    return (present_[tensor] >> index(dim) & 1) != 0;
  }

  std::int64_t footprint_with(std::size_t tensor, Tile box, Dim dim, std::int64_t size) const {
    box[dim] = size;
    return footprint(computation_.tensors[tensor], box);
  }

  // Rule (V) for the plain loops from position `inner` outwards to `outer`.
  State walk(State state, std::size_t inner, std::size_t outer) const {
    for (std::size_t i = inner; i-- > outer;)
      for (std::size_t t = 0; t < present_.size(); ++t) pass(state, t, steps_[i], boxes_[i + 1]);
    return state;
  }

  // One loop around `box`: reuse, the sweep of the innermost present loop, or everything anew.
  void pass(State& state, std::size_t tensor, const Step& loop, const Tile& box) const {
    std::int64_t& volume = state.traffic.volumes.values[tensor];
    if (!state.virgin[tensor]) {
      volume *= loop.trips;
      return;
    }
    if (!is_present_in(tensor, loop.dim)) return;
    const std::int64_t two = footprint_with(tensor, box, loop.dim, 2 * box[loop.dim]);
    volume += (loop.trips - 1) * (two - volume);
    state.virgin[tensor] = false;
    state.traffic.walked.values[tensor] = box;
    state.traffic.walked.values[tensor][loop.dim] *= loop.trips;
  }

  State at_lambda(std::size_t lambda, const Tile& base) {
    const Step node = steps_[lambda];
    const Tile node_box = boxes_[lambda];
    std::vector<State> branches;
    for (std::size_t part = 0; part < node.parts->size(); ++part)
      branches.push_back(branch(lambda, base, *node.parts, part));
    steps_[lambda] = node;
    boxes_[lambda] = node_box;
    return branches.size() == 1 ? branches.front() : join(branches, node, node_box);
  }

  // One part of the lambda in place of it: a plain loop over blocks of its own size.
  State branch(std::size_t lambda, Tile base, const std::vector<Part>& parts, std::size_t at) {
    const Dim dim = steps_[lambda].dim;
    std::int64_t inner_trips = 1;
    for (std::size_t i = lambda + 1; i < steps_.size(); ++i)
      if (steps_[i].dim == dim) inner_trips *= steps_[i].trips;
    base[dim] = parts[at].size / inner_trips;
    steps_[lambda] = {dim, parts[at].times, nullptr};
    const std::size_t first = parts[at].times > 1 ? lambda : lambda + 1;
    if (parts.size() == 1) return evaluate(first, base, std::nullopt);
    const std::int64_t before = at > 0 ? covered(parts[at - 1]) : 0;
    const std::int64_t after = at + 1 < parts.size() ? covered(parts[at + 1]) : 0;
    return evaluate(first, base, Neighbour{dim, covered(parts[at]) + std::max(before, after)});
  }

  State join(const std::vector<State>& branches, const Step& node, const Tile& box) const {
    State joined =
        *std::max_element(branches.begin(), branches.end(),
                          [](const State& a, const State& b) { return total(a) < total(b); });
    for (std::size_t t = 0; t < present_.size(); ++t) join_tensor(joined, t, branches, node, box);
    return joined;
  }

  void join_tensor(State& joined, std::size_t tensor, const std::vector<State>& branches,
                   const Step& node, const Tile& box) const {
    const bool virgin = std::all_of(branches.begin(), branches.end(),
                                    [&](const State& branch) { return branch.virgin[tensor]; });
    const bool present = is_present_in(tensor, node.dim);
    joined.virgin[tensor] = virgin && !present;
    std::int64_t& volume = joined.traffic.volumes.values[tensor];
    if (virgin && present) {
      volume = parts_in_sequence(tensor, *node.parts, node.dim, box);
      joined.traffic.walked.values[tensor] = box;
    } else if (!virgin) {
      volume = 0;
      for (const State& branch : branches) volume += branch.traffic.volumes.values[tensor];
    }
  }

  // Each part brings what its predecessor did not have.
  std::int64_t parts_in_sequence(std::size_t tensor, const std::vector<Part>& parts, Dim dim,
                                 const Tile& box) const {
    std::int64_t volume = footprint_with(tensor, box, dim, covered(parts.front()));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::int64_t before = covered(parts[i - 1]);
      volume += footprint_with(tensor, box, dim, before + covered(parts[i])) -
                footprint_with(tensor, box, dim, before);
    }
    return volume;
  }

  const Computation& computation_;
  std::int64_t capacity_;
  CapacityRule rule_;
  std::vector<Step> steps_;
  std::vector<Tile> boxes_;
  std::array<std::uint32_t, kOperands> present_{};
};

}  // namespace

FlatTraffic flat_traffic(const Computation& computation, const Nest& nest, std::int64_t capacity,
                         CapacityRule rule) {
  FlatModel model(computation, nest, capacity, rule);
  return model.evaluate(0, nest.base, std::nullopt).traffic;
}

PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule) {
  return flat_traffic(computation, nest, capacity, rule).volumes;
}

Tile box_inside(const Nest& nest, std::size_t position) {
  Tile box = nest.base;
  for (std::size_t i = nest.loops.size(); i-- > position;) {
    const NestLoop& loop = nest.loops[i];
    box[loop.dim] = loop.is_lambda() ? covered(loop.parts) : box[loop.dim] * loop.trips;
  }
  return box;
}

}  // namespace tileplan
