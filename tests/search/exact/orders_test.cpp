// SPDX-License-Identifier: Apache-2.0
// This test checks the counts and names of order classes, and compares them with all permutations
// of loops.
#include "orders.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "movement.h"
#include "random_computation.h"

namespace tileplan {
namespace {

Computation conv(std::int64_t batch = 2, std::int64_t groups = 1) {
  return toy::conv({.n = batch, .g = groups, .k = 8, .c = 8, .h = 6, .w = 6, .r = 3, .s = 3});
}

std::vector<std::string> names(const OrderClasses& classes) {
  std::vector<std::string> result;
  for (const OrderClass& one : classes.classes) result.push_back(one.name);
  return result;
}

/// Returns the loop order of the class called `name`, outermost first, or "no such class".
std::string order_of(const Computation& computation, const OrderClasses& classes,
                     const std::string& name) {
  for (const OrderClass& one : classes.classes)
    if (one.name == name) {
      std::string letters = toy::letters_inner_to_outer(computation, one.order);
      std::reverse(letters.begin(), letters.end());
      return letters;
    }
  return "no such class";
}

using Names = std::vector<std::string>;

TEST_CASE("classes: a convolution has the eight of the papers, out of 29 signatures") {
  const Computation computation = conv();
  const OrderClasses classes = order_classes(computation);
  CHECK(classes.signatures == 29);
  CHECK(names(classes) == Names{"h", "w", "r", "s", "kh", "kw", "kr", "ks"});
  CHECK(order_of(computation, classes, "w") == "kcrsnhw");
  CHECK(order_of(computation, classes, "h") == "kcrsnwh");
  CHECK(order_of(computation, classes, "s") == "nkhwcrs");
  CHECK(order_of(computation, classes, "r") == "nkhwcsr");
  CHECK(order_of(computation, classes, "kw") == "nchrswk");
  CHECK(order_of(computation, classes, "kh") == "ncwrshk");
  CHECK(order_of(computation, classes, "ks") == "nchwrsk");
  CHECK(order_of(computation, classes, "kr") == "nchwsrk");
}

TEST_CASE("classes: groups and batch 1 leave eight, out of 30 and 21 signatures") {
  const OrderClasses grouped = order_classes(conv(2, 4));
  CHECK(grouped.signatures == 30);
  CHECK(names(grouped) == Names{"h", "w", "r", "s", "kh", "kw", "kr", "ks"});
  const OrderClasses single = order_classes(conv(1));
  CHECK(single.signatures == 21);
  CHECK(names(single) == Names{"h", "w", "r", "s", "kh", "kw", "kr", "ks"});
}

TEST_CASE("classes: depthwise has four, out of 17 signatures") {
  const Computation depthwise = toy::conv({.n = 2, .g = 8, .h = 6, .w = 6, .r = 3, .s = 3});
  const OrderClasses classes = order_classes(depthwise);
  CHECK(classes.signatures == 17);
  CHECK(names(classes) == Names{"h", "w", "r", "s"});
  CHECK(order_of(depthwise, classes, "w") == "grsnhw");
}

TEST_CASE("classes: 1x1 has three, out of 9 signatures") {
  const Computation pointwise = toy::conv({.n = 2, .k = 8, .c = 8, .h = 6, .w = 6});
  const OrderClasses classes = order_classes(pointwise);
  CHECK(classes.signatures == 9);
  CHECK(names(classes) == Names{"n", "k", "c"});
  CHECK(order_of(pointwise, classes, "n") == "kchwn");
  CHECK(order_of(pointwise, classes, "c") == "nkhwc");
}

TEST_CASE("classes: products have three, batched ones too, b never innermost") {
  const Computation gemm = toy::gemm({.i = 4, .j = 4, .k = 4});
  CHECK(order_classes(gemm).signatures == 3);
  CHECK(names(order_classes(gemm)) == Names{"i", "j", "k"});
  CHECK(order_of(gemm, order_classes(gemm), "k") == "ijk");
  const Computation batched = toy::gemm({.b = 4, .i = 4, .j = 4, .k = 4});
  CHECK(order_classes(batched).signatures == 4);
  CHECK(names(order_classes(batched)) == Names{"i", "j", "k"});
  CHECK(order_of(batched, order_classes(batched), "i") == "bjki");
}

TEST_CASE("classes: with the filter whole in the tile five remain, windows still overlap") {
  const Computation computation = conv();
  std::vector<Dim> tiled;
  for (const char* name : {"w", "h", "c", "k", "n"}) tiled.push_back(toy::dim(computation, name));
  const OrderClasses classes = order_classes(computation, tiled);
  CHECK(classes.signatures == 16);
  CHECK(names(classes) == Names{"c", "h", "w", "kh", "kw"});
  CHECK(order_of(computation, classes, "w") == "kcnhw");
}

TEST_CASE("classes: nothing to order is one class without loops, one loop is one class") {
  const OrderClasses point = order_classes(toy::gemm({}));
  REQUIRE(point.classes.size() == 1);
  CHECK(point.classes[0].order.empty());
  CHECK(point.classes[0].name.empty());
  CHECK(names(order_classes(toy::gemm({.b = 3}))) == Names{"b"});
}

TEST_CASE("classes: names of several letters are told apart by dots") {
  Computation computation = conv();
  computation.names = {"n", "g", "out", "in", "row", "col", "r", "s"};
  CHECK(names(order_classes(computation))[4] == "out.row");
}

/// Holds one letter per tensor and dimension. Iterations of the loop over the dimension reuse the
/// tile of the tensor ('R'), read windows that overlap ('E'), or load a whole tile each ('S'). The
/// letter is '-' for a dimension without a loop.
using ReuseTable = std::array<std::string, kOperands>;

int rank_of(char op) { return op == 'R' ? 0 : op == 'E' ? 1 : 2; }

bool is_at_most(const ReuseTable& a, const ReuseTable& b) {
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t d = 0; d < a[t].size(); ++d)
      if (rank_of(a[t][d]) > rank_of(b[t][d])) return false;
  return true;
}

/// Returns the number of terms with an extent above 1 in the index of the tensor that contains
/// `dim`, or 0 when no index does.
int sharing(const Computation& computation, const TensorAccess& tensor, Dim dim) {
  for (const DataDim& data : tensor.data) {
    int terms = 0;
    bool here = false;
    for (const Term& term : data.terms) {
      terms += computation.extent(term.dim) > 1;
      here = here || term.dim == dim;
    }
    if (here) return terms;
  }
  return 0;
}

ReuseTable reuse_table(const Computation& computation, const LoopOrder& order) {
  ReuseTable table;
  for (std::size_t t = 0; t < kOperands; ++t) {
    table[t].assign(static_cast<std::size_t>(computation.dims()), '-');
    bool settled = false;
    for (auto loop = order.rbegin(); loop != order.rend(); ++loop) {
      const int terms = sharing(computation, computation.tensors[t], *loop);
      char& op = table[t][static_cast<std::size_t>(index(*loop))];
      op = settled || terms == 1 ? 'S' : terms == 0 ? 'R' : 'E';
      settled = settled || terms > 0;
    }
  }
  return table;
}

/// Returns the dimensions with extents above 1, in the order of the domain.
LoopOrder active_dims(const Computation& computation) {
  LoopOrder dims;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.extent(Dim{d}) > 1) dims.push_back(Dim{d});
  return dims;
}

void check_against_all_permutations(const Computation& computation) {
  LoopOrder order = active_dims(computation);
  std::set<ReuseTable> all, minimal, derived;
  do all.insert(reuse_table(computation, order));
  while (std::next_permutation(order.begin(), order.end()));
  for (const ReuseTable& table : all)
    if (std::none_of(all.begin(), all.end(), [&](const ReuseTable& other) {
          return other != table && is_at_most(other, table);
        }))
      minimal.insert(table);
  const OrderClasses classes = order_classes(computation);
  for (const OrderClass& one : classes.classes) derived.insert(reuse_table(computation, one.order));
  CHECK(classes.signatures == static_cast<int>(all.size()));
  CHECK(derived == minimal);
  CHECK(derived.size() == classes.classes.size());
}

/// Checks that the order of each class reuses at least as much as all orders with its innermost
/// loops.
void check_prefixes(const Computation& computation) {
  for (const OrderClass& one : order_classes(computation).classes) {
    CAPTURE(one.name);
    const ReuseTable table = reuse_table(computation, one.order);
    LoopOrder order = active_dims(computation);
    do {
      if (std::equal(one.prefix.begin(), one.prefix.end(), order.rbegin()))
        CHECK(is_at_most(table, reuse_table(computation, order)));
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(std::equal(one.prefix.begin(), one.prefix.end(), one.order.rbegin()));
  }
}

/// Returns computations of every operator and of general accesses, with at most eight dimensions
/// with extents above 1.
std::vector<Computation> operators() {
  std::vector<Computation> all = {
      conv(),
      conv(1),
      conv(2, 4),
      toy::conv({.n = 2, .g = 8, .h = 6, .w = 6, .r = 3, .s = 3}),
      toy::conv({.n = 2, .k = 8, .c = 8, .h = 6, .w = 6}),
      toy::conv({.n = 2, .k = 8, .c = 8, .w = 6, .s = 3}),
      toy::conv({.n = 2, .k = 8, .c = 8, .h = 6, .w = 6, .s = 3, .stride = 2}),
      toy::gemm({.i = 4, .j = 4, .k = 4}),
      toy::gemm({.b = 4, .i = 4, .j = 4, .k = 4}),
      toy::gemm({.i = 4, .j = 4}),
      toy::gemm({.b = 4, .k = 4}),
      toy::conv3d({.k = 4, .d = 4, .h = 4, .w = 4, .t = 2, .r = 2, .s = 2}),
      toy::conv3d({.g = 4, .d = 4, .h = 4, .w = 4, .t = 2, .r = 2, .s = 2}),
      toy::conv3d({.k = 4, .c = 4, .d = 4, .w = 4, .t = 2, .s = 2}),
      toy::transposed_conv({.n = 2, .k = 8, .c = 8, .h = 6, .w = 6, .r = 3, .s = 3}),
  };
  Computation three_in_one = toy::gemm({.b = 2, .i = 4, .j = 4, .k = 4});
  three_in_one.tensors[0].data = {{.terms = {{Dim{0}, 2}, {Dim{1}, 1}, {Dim{3}, 3}}}};
  all.push_back(three_in_one);
  Computation two_windows = conv();
  std::swap(two_windows.tensors[0], two_windows.tensors[1]);
  two_windows.tensors[2].data = {{.terms = {{Dim{4}, 1}, {Dim{7}, 1}}}, {.terms = {{Dim{2}, 1}}}};
  all.push_back(two_windows);
  return all;
}

TEST_CASE("classes: equal the minimal op tables of all permutations, for every operator") {
  int number = 0;
  for (const Computation& computation : operators()) {
    CAPTURE(number++);
    check_against_all_permutations(computation);
    check_prefixes(computation);
  }
}

/// Returns the least weighted volume over all permutations of the dimensions with extents above 1.
std::int64_t least_of_all(const Computation& computation, const Tile& tile, const Tile& within) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  LoopOrder order = active_dims(computation);
  do least = std::min(least, weighted(computation, volumes(computation, order, tile, within)));
  while (std::next_permutation(order.begin(), order.end()));
  return least;
}

std::int64_t least_of_classes(const Computation& computation, const Tile& tile,
                              const Tile& within) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const OrderClass& one : order_classes(computation).classes)
    least = std::min(least, weighted(computation, volumes(computation, one.order, tile, within)));
  return least;
}

TEST_CASE(
    "classes: the least volume over classes is the least over all permutations, for any tile") {
  for (std::uint64_t seed = 0; seed < 20 * toy::kOperatorKinds; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const Computation computation =
        toy::random_computation(static_cast<int>(seed % toy::kOperatorKinds), random);
    if (active_dims(computation).size() > 7) continue;
    const Tile tile = toy::random_tile(computation, seed % 3 != 0, random);
    CHECK(least_of_classes(computation, tile, toy::whole(computation)) ==
          least_of_all(computation, tile, toy::whole(computation)));
  }
}

TEST_CASE("classes: the same inside any outer tile, where dims may be of one trip") {
  const Computation computation = toy::conv(
      {.n = 2, .k = 8, .c = 6, .h = 12, .w = 12, .r = 3, .s = 3, .stride = 2, .dilation = 2});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const Tile within = toy::random_tile(computation, true, random);
    const Tile tile = toy::random_tile_of(within, computation, random);
    CHECK(least_of_classes(computation, tile, within) == least_of_all(computation, tile, within));
  }
}

// With a single order, data movement may grow when a dimension of one trip becomes a loop inside
// the others. The minimum over classes must not grow.
TEST_CASE("monotone: the least volume over classes never grows with the inner or the outer tile") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 50 * toy::kOperatorKinds; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const Computation computation =
        toy::random_computation(static_cast<int>(seed % toy::kOperatorKinds), random);
    const Tile whole = toy::whole(computation);
    const Tile within = toy::random_tile(computation, true, random);
    const Tile tile = toy::random_tile_of(within, computation, random);
    const std::int64_t base = least_of_classes(computation, tile, within);
    for (const Dim dim : active_dims(computation)) {
      Tile larger = tile;
      larger[dim] = within[dim];
      CHECK(least_of_classes(computation, larger, within) <= base);
      larger = within;
      larger[dim] = whole[dim];
      const std::int64_t repeats = whole[dim] / within[dim];
      CHECK(least_of_classes(computation, tile, larger) <= repeats * base);
      compared += 2;
    }
  }
  CHECK(compared > 3828);
}

}  // namespace
}  // namespace tileplan
