// SPDX-License-Identifier: Apache-2.0
// Boxes of at most four iterations per dimension can have overlapping windows, holes and dilated
// taps, which are the cases of eq. (F2) in models/README.md.
#include "cross_check.h"

#include <algorithm>
#include <random>

#include "check.h"
#include "footprint.h"

namespace tileplan {
namespace {

constexpr int kBoxes = 5;
constexpr std::int64_t kMostIterations = 4;

/// Returns random boxes for one index of a tensor. Dimensions that the index lacks have one
/// iteration, because isl counts such boxes much faster.
std::vector<Tile> random_boxes(const Computation& computation, const DataDim& data,
                               std::mt19937& random) {
  std::vector<Tile> boxes(kBoxes);
  for (Tile& box : boxes) {
    for (int d = 0; d < computation.dims(); ++d) box[Dim{d}] = 1;
    for (const Term& term : data.terms)
      box[term.dim] = 1 + static_cast<std::int64_t>(random()) %
                              std::min(kMostIterations, computation.extent(term.dim));
  }
  return boxes;
}

}  // namespace

void cross_check_footprints(const Computation& computation) {
  std::mt19937 random(1);
  for (int operand = 0; operand < kOperands; ++operand) {
    const auto& tensor = computation.tensors[static_cast<std::size_t>(operand)];
    for (std::size_t data = 0; data < tensor.data.size(); ++data) {
      if (tensor.data[data].terms.size() < 2) continue;
      const std::vector<Tile> boxes = random_boxes(computation, tensor.data[data], random);
      const std::vector<std::int64_t> exact =
          count_values(computation, static_cast<Operand>(operand), data, boxes);
      for (std::size_t box = 0; box < boxes.size(); ++box)
        TILEPLAN_CHECK(card(tensor.data[data], boxes[box]) == exact[box],
                       "the closed form of a footprint differs from isl's count");
    }
  }
}

}  // namespace tileplan
