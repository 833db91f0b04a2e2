// SPDX-License-Identifier: Apache-2.0
// The products are written as isl text and read back, as all problems are.
#include "winograd_products.h"

#include "integers.h"
#include "isl_text.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::int64_t kLineBytes = 64;
/// Rows at a multiple of this distance, in cache lines, would compete for few sets of a cache.
constexpr std::int64_t kCrowdedLines = 16;

std::int64_t checked_product(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t product = 0;
  if (multiply_overflows(a, b, product))
    throw Error(std::string("winograd: ") + what + " are more than 2^63 - 1; must not");
  return product;
}

/// Returns the number of values of the only iterator of `data` in `box`, or 1 if there is none.
std::int64_t count_in(const DataDim& data, const Tile& box) {
  return data.terms.empty() ? 1 : box[data.terms.front().dim];
}

/// Returns the extents of the dimensions g, x, p, k and c.
std::vector<std::int64_t> sizes_of(const ConvShape& shape, const WinogradTiles& tiles) {
  const TileCounts counts = tile_counts(shape, tiles);
  const std::int64_t images = checked_product(shape.n, counts.rows, "tiles");
  return {
      shape.g,
      (tiles.outputs[0] + shape.height.filter - 1) * (tiles.outputs[1] + shape.width.filter - 1),
      checked_product(images, counts.columns, "tiles"), shape.k / shape.g, shape.c / shape.g};
}

}  // namespace

TileCounts tile_counts(const ConvShape& shape, const WinogradTiles& tiles) {
  return {.rows = ceil_div(shape.height.out, tiles.outputs[0]),
          .columns = ceil_div(shape.width.out, tiles.outputs[1])};
}

Computation winograd_products(const ConvShape& shape, const WinogradTiles& tiles) {
  return computation_of(
      Relation{.name = shape.name,
               .domain = box_text("S", {"g", "x", "p", "k", "c"}, sizes_of(shape, tiles)),
               .reads = "{ S[g,x,p,k,c] -> V[g,x,p,c]; S[g,x,p,k,c] -> U[g,x,c,k] }",
               .writes = "{ S[g,x,p,k,c] -> M[g,x,p,k] }",
               .types = shape.types});
}

Computation resized_products(const Computation& other, const ConvShape& shape,
                             const WinogradTiles& tiles) {
  const std::vector<std::int64_t> sizes = sizes_of(shape, tiles);
  const auto tiles_at = static_cast<std::size_t>(index(other.dim("p")));
  // Products with a single tile are read again, although their accesses are the same.
  if (sizes[tiles_at] == 1 || other.extents[tiles_at] == 1) return winograd_products(shape, tiles);
  Computation result = other;
  result.extents = sizes;
  for (TensorAccess& tensor : result.tensors)
    for (DataDim& data : tensor.data)
      if (!data.terms.empty()) data.extent = result.extent(data.terms.front().dim);
  derive_fields(result);
  std::get<Relation>(result.problem).domain = result.domain;
  return result;
}

TensorLayout winograd_box_layout(const Computation& products, Operand operand, const Tile& box,
                                 int lanes) {
  const TensorAccess& tensor = products.tensor(operand);
  const std::int64_t line = kLineBytes / tensor.element_bytes();
  std::int64_t row = round_up(count_in(tensor.data[kBoxChannels], box), lanes);
  if (row % (kCrowdedLines * line) == 0) row += line;
  const std::int64_t tiles =
      checked_product(count_in(tensor.data[kBoxTiles], box), row, "box elements");
  // Setting the lowest bit makes the number of lines odd.
  const std::int64_t plane = (ceil_div(tiles, line) | 1) * line;
  const std::int64_t group =
      checked_product(count_in(tensor.data[kBoxProducts], box), plane, "box elements");
  TensorLayout layout{
      .axes = std::vector<AxisLayout>(tensor.data.size()),
      .elements = checked_product(count_in(tensor.data[kBoxGroups], box), group, "box elements")};
  layout.axes[kBoxGroups].stride = group;
  layout.axes[kBoxProducts].stride = plane;
  layout.axes[kBoxTiles].stride = row;
  layout.axes[kBoxChannels].stride = 1;
  return layout;
}

}  // namespace tileplan
