// SPDX-License-Identifier: Apache-2.0
// One pass over the loops, from the innermost to the outermost, fills the groups of features of
// their dimensions.
#include "loop_features.h"

#include <algorithm>
#include <cmath>

#include "footprint.h"
#include "nest.h"

namespace tileplan {

namespace {

constexpr std::size_t kPerTensor = 3, kPerLoop = 2 + kPerTensor * kOperands;

float log_of(double value) { return static_cast<float>(std::log2(value)); }

double iterations(const Computation& computation, const Tile& box) {
  double product = 1;
  for (int d = 0; d < computation.dims(); ++d) product *= static_cast<double>(box[Dim{d}]);
  return product;
}

class FeatureWalk {
 public:
  FeatureWalk(const Computation& computation, const Schedule& schedule, int lanes)
      : computation_(computation), nest_(resolve(schedule, computation, lanes)) {
    layouts_ = {layout_of(computation, Operand::input, schedule.in),
                layout_of(computation, Operand::weights, Layout::plain),
                layout_of(computation, Operand::output, schedule.out)};
    add_boxes();
  }

  std::vector<float> loops() {
    const auto dims = static_cast<std::size_t>(computation_.dims());
    std::vector<float> features(dims * kFeatureLoops * kPerLoop, 0);
    PerDim<int> seen{};
    for (std::size_t i = nest_.loops.size(); i-- > 0;) {
      const Dim dim = nest_.loops[i].dim;
      if (seen[dim] == kFeatureLoops) continue;
      const int group = index(dim) * kFeatureLoops + seen[dim]++;
      describe(i, features.data() + static_cast<std::size_t>(group) * kPerLoop);
    }
    return features;
  }

  const Tile& register_tile() const { return boxes_.back(); }

 private:
  /// Computes `boxes_`. Boxes inside a list of blocks (lambda) contain its largest block, and boxes
  /// outside contain all its blocks.
  void add_boxes() {
    Nest largest = nest_;
    for (std::size_t i = 0; i < nest_.loops.size(); ++i)
      if (largest.loops[i].is_lambda())
        largest = with_part(largest, i,
                            std::ranges::max(largest.loops[i].parts, {},
                                             [](const Part& part) { return part.size; }));
    boxes_.assign(nest_.loops.size() + 1, largest.base);
    for (std::size_t i = nest_.loops.size(); i-- > 0;) {
      boxes_[i] = boxes_[i + 1];
      const NestLoop& loop = nest_.loops[i];
      std::int64_t& size = boxes_[i][loop.dim];
      size = loop.is_lambda() ? covered(loop.parts) : size * largest.loops[i].trips;
    }
  }

  void describe(std::size_t i, float* group) const {
    const Dim dim = nest_.loops[i].dim;
    const Tile &inside = boxes_[i + 1], &whole = boxes_[i];
    *group++ = log_of(static_cast<double>(whole[dim]) / static_cast<double>(inside[dim]));
    *group++ = static_cast<float>(i);
    Tile step{};
    step[dim] = inside[dim];
    for (std::size_t t = 0; t < kOperands; ++t) {
      const TensorAccess& access = computation_.tensors[t];
      const auto touched = static_cast<double>(footprint(access, whole));
      *group++ = log_of(touched);
      *group++ = log_of(iterations(computation_, whole) / touched);
      *group++ = static_cast<float>(element_at(access, layouts_[t], step));
    }
  }

  const Computation& computation_;
  Nest nest_;
  std::vector<TensorLayout> layouts_;
  /// Box i holds the iterations inside the i outermost loops. The last box is the register tile.
  std::vector<Tile> boxes_;
};

}  // namespace

std::vector<float> loop_features(const Computation& computation, const Schedule& schedule,
                                 int lanes) {
  FeatureWalk walk(computation, schedule, lanes);
  std::vector<float> features = walk.loops();
  const Tile& tile = walk.register_tile();
  for (int d = 0; d < computation.dims(); ++d)
    features.push_back(log_of(static_cast<double>(tile[Dim{d}])));
  const auto add = [&](auto mark) { features.push_back(static_cast<float>(mark)); };
  add(schedule.prefetch);
  add(schedule.ahead.value_or(-1));
  add(schedule.pack_input.value_or(-1));
  add(static_cast<int>(schedule.in));
  add(static_cast<int>(schedule.out));
  add(schedule.nontemporal);
  return features;
}

}  // namespace tileplan
