// SPDX-License-Identifier: Apache-2.0
// Asks AxisLayout::is_linear of each axis.
#include "blocks.h"

namespace tileplan {

std::optional<CutBlock> cut_block(const Computation& computation, Operand operand,
                                  const TensorLayout& layout, const Repeat& loop) {
  const TensorAccess& access = computation.tensor(operand);
  const std::int64_t extent = computation.extent(loop.dim);
  std::optional<CutBlock> cut;
  for (std::size_t a = 0; a < access.data.size(); ++a)
    for (const Term& term : access.data[a].terms) {
      const std::int64_t apart = loop.step * term.coefficient;
      const AxisLayout& axis = layout.axes[a];
      if (term.dim != loop.dim || axis.is_linear(apart, apart * loop.count, extent)) continue;
      const std::int64_t points = axis.block / apart;
      if (!cut || points < cut->points) cut = {.elements = axis.block, .points = points};
    }
  return cut;
}

}  // namespace tileplan
