// SPDX-License-Identifier: Apache-2.0
// This test checks the products of a Winograd convolution and the boxes that hold their operands.
#include "winograd_products.h"

#include <doctest/doctest.h>

using namespace tileplan;

namespace {

ConvShape shape() { return parse_conv("g2mb3ic20ih9iw10oc40oh9ow10kh3kw5ph1pw2"); }

}  // namespace

TEST_CASE("tiles that overhang the output count, and each tile has a product per input") {
  const Computation products = winograd_products(shape(), {.outputs = {4, 3}});
  CHECK(products.names == std::vector<std::string>{"g", "x", "p", "k", "c"});
  // In each of 3 images, 9 rows need 3 tiles of 4, and 10 columns need 4 tiles of 3.
  CHECK(products.extents == std::vector<std::int64_t>{2, 6 * 7, 3 * 3 * 4, 20, 10});
  CHECK(products.role(products.dim("x")) == Role::batch);
  CHECK(products.role(products.dim("p")) == Role::pixel);
  CHECK(products.role(products.dim("k")) == Role::channel);
  CHECK(products.role(products.dim("c")) == Role::reduction);
}

TEST_CASE("planes of a box are an odd number of cache lines apart, and rows are whole vectors") {
  const Computation products = winograd_products(shape(), {.outputs = {4, 3}});
  Tile box = extents_of(products);
  box[products.dim("p")] = 6;
  const TensorLayout input = winograd_box_layout(products, Operand::input, box, 16);
  CHECK(input.axes[3].stride == 1);
  CHECK(input.axes[2].stride == 16);
  // A plane of 6 cache lines is extended to 7, because odd numbers spread planes over the sets of a
  // cache.
  CHECK(input.axes[1].stride == 7 * 16);
  CHECK(input.axes[0].stride == 42 * 7 * 16);
  CHECK(input.elements == 2 * 42 * 7 * 16);
  const TensorLayout output = winograd_box_layout(products, Operand::output, box, 16);
  CHECK(output.axes[2].stride == 32);
  CHECK(output.axes[1].stride == 13 * 16);
}
