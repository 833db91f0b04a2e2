// SPDX-License-Identifier: Apache-2.0
// This file counts the elements of a tensor that a box accesses, as the product of the numbers of
// values of its indices.
#include "isl_count.h"

#include <vector>

#include "isl_raw.h"
#include "isl_text.h"

namespace tileplan::oracle {

std::int64_t count_elements(const Computation& computation, Operand operand, const Tile& origin,
                            const Tile& tile, bool clip) {
  const std::size_t at = static_cast<std::size_t>(operand), dims = computation.extents.size();
  const IslContext context;
  const isl::map access(context.get(), computation.relations[at]);
  const std::vector<std::int64_t> lower(origin.values.begin(), origin.values.begin() + dims),
      size(tile.values.begin(), tile.values.begin() + dims);
  const isl::set box = within_box(access.domain(), lower, size);
  const isl::pw_multi_aff forms = access.as_pw_multi_aff();
  std::int64_t count = 1;
  // By condition C1 (access.h), the indices vary independently. The number of elements is therefore
  // the product of the numbers of values that the indices take.
  for (std::size_t i = 0; i < computation.tensors[at].data.size(); ++i) {
    isl::set values = box.apply(forms.at(static_cast<int>(i)).as_map());
    const std::int64_t extent = computation.tensors[at].data[i].extent;
    if (clip) values = values.intersect(isl::set(context.get(), box_text("", {"x"}, {extent})));
    count *= count_points(values);
  }
  return count;
}

}  // namespace tileplan::oracle
