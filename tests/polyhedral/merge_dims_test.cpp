// SPDX-License-Identifier: Apache-2.0
// This test checks which dimensions are merged, and that the result has the same accesses.
#include "merge_dims.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "isl_count.h"
#include "tileplan/problem.h"

namespace tileplan {
namespace {

using Names = std::vector<std::string>;

Computation merged_of(const std::string& problem) {
  return merge_adjacent_dims(computation_of(parse_problem(problem)));
}

bool is_unchanged(const std::string& problem) {
  return merged_of(problem).names == computation_of(parse_problem(problem)).names;
}

std::int64_t offset(const Computation& computation, Operand operand, Layout layout,
                    const Tile& at) {
  const TensorAccess& tensor = computation.tensors[static_cast<std::size_t>(operand)];
  const TensorLayout places = layout_of(computation, operand, layout);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    std::int64_t index = tensor.data[i].offset;
    for (const Term& term : tensor.data[i].terms) index += term.coefficient * at[term.dim];
    offset += places.axes[i].offset(index);
  }
  return offset;
}

}  // namespace

TEST_CASE("rows and columns of a 1 x 1 convolution are one dim") {
  const Computation flat = merged_of("mb2ic32ih7oc64oh7kh1ph0");
  CHECK(flat.names == Names{"n", "g", "k", "c", "hw", "r", "s"});
  CHECK(flat.extent(flat.dim("hw")) == 49);
  CHECK(flat.role(flat.dim("hw")) == Role::pixel);
  CHECK(oracle::count_elements(
            flat, Operand::input, Tile{},
            [] {
              Tile box;
              for (std::int64_t& size : box.values) size = 1;
              box[Dim{4}] = 10;
              return box;
            }(),
            true) == 10);
}

TEST_CASE("problems read once: each schedule gets the computation that it would be read in") {
  const Problem problem = parse_problem("mb1ic32ih7oc64oh7kh1ph0");
  const ComputationVariants variants(problem);
  for (const char* text :
       {"[T(49,hw), T(4,k), T(32,c), V(k)]", "[T(7,h), T(7,w), T(4,k), T(32,c), V(k)]"}) {
    const Schedule schedule = parse_schedule(text);
    CHECK(variants.of(schedule).names == computation_of(problem, schedule).names);
    CHECK(variants.of(schedule).extents == computation_of(problem, schedule).extents);
  }
  CHECK(variants.of(parse_schedule("[T(49,hw), V(k)]")).names[4] == "hw");
  CHECK(variants.of(parse_schedule("[T(7,h), V(k)]")).names[4] == "h");
}

TEST_CASE("all three axes of a 1 x 1 x 1 convolution are one dim") {
  const Computation flat = merged_of("mb1ic32id3ih5iw7oc64od3oh5ow7kd1kh1kw1pd0ph0pw0");
  CHECK(flat.extent(flat.dim("dhw")) == 3 * 5 * 7);
}

TEST_CASE("windows, strides and padding keep dims apart") {
  CHECK(is_unchanged("mb1ic32ih7oc64oh7kh3ph1"));
  CHECK(is_unchanged("mb1ic32ih14oc64oh7kh1sh2ph0"));
  CHECK(is_unchanged("mb1ic32ih7oc64oh9kh1ph1"));
  CHECK(is_unchanged("mb1ic32ih7iw8oc64oh7ow7kh1kw2ph0pw0"));
  CHECK(is_unchanged("b4m6n8k10"));
}

TEST_CASE("any relation whose tensors walk two dims as one is merged") {
  const std::string domain =
      "{ S[a,b,j,k] : 0 <= a < 3 and 0 <= b < 5 and 0 <= j < 8 and 0 <= k < 4 }";
  const Computation joined =
      merged_of(domain +
                " reads { S[a,b,j,k] -> X[a,b,k]; S[a,b,j,k] -> Y[k,j] } writes "
                "{ S[a,b,j,k] -> Z[a,b,j] }");
  CHECK(joined.names == Names{"ab", "j", "k"});
  CHECK(is_unchanged(domain + " reads { S[a,b,j,k] -> X[a,b,k]; S[a,b,j,k] -> Y[k,j] } writes "
                              "{ S[a,b,j,k] -> Z[b,a,j] }"));
}

TEST_CASE("the merged dim walks the same memory in every layout") {
  const Computation whole = computation_of(parse_problem("mb2ic32ih3iw5oc32oh3ow5kh1ph0"));
  const Computation flat = merge_adjacent_dims(whole);
  for (const Layout layout : {Layout::nhwc, Layout::nchw, Layout::nChw16c, Layout::nChw8c})
    for (std::int64_t pixel = 0; pixel < 15; ++pixel) {
      Tile at, flat_at;
      at[whole.dim("n")] = flat_at[flat.dim("n")] = 1;
      at[whole.dim("k")] = flat_at[flat.dim("k")] = 17;
      at[whole.dim("c")] = flat_at[flat.dim("c")] = 19;
      at[whole.dim("h")] = pixel / 5;
      at[whole.dim("w")] = pixel % 5;
      flat_at[flat.dim("hw")] = pixel;
      for (const Operand operand : {Operand::input, Operand::output})
        CHECK(offset(whole, operand, layout, at) == offset(flat, operand, layout, flat_at));
    }
}

TEST_CASE("a schedule says by its dims which computation it is for") {
  const Problem problem = parse_problem("mb1ic32ih7oc64oh7kh1ph0");
  const auto dims = [&](const char* schedule) {
    return computation_of(problem, parse_schedule(schedule)).dims();
  };
  CHECK(dims("[T(4,k), T(7,hw), T(32,c), U(7,hw), V(k)] in=nhwc out=nhwc") == 7);
  CHECK(dims("[T(4,k), T(7,h), T(32,c), U(7,w), V(k)] in=nhwc out=nhwc") == 8);
}

}  // namespace tileplan
