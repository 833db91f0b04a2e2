// SPDX-License-Identifier: Apache-2.0
// This test checks how isl reads problems, which relations are refused, and exact numbers of
// elements.
#include "computation.h"

#include <doctest/doctest.h>
#include <isl/cpp.h>

#include <memory>
#include <random>
#include <set>

#include "isl_count.h"
#include "shared_problems.h"
#include "tileplan/error.h"

using namespace tileplan;
using test::grouped_conv;
using test::product;

namespace {

constexpr auto kInput = Operand::input, kOutput = Operand::output;

/// Returns a convolution of a 5x6 input with a 3x3 filter. Rows have stride 2, dilation 2 and
/// padding 1. Columns have stride 1, and neither dilation nor padding.
ConvShape skewed_conv() { return parse_conv("mb2ic3ih5iw6oc4oh2ow4kh3kw3sh2sw1dh1dw0ph1pw0"); }

Relation with_domain(const std::string& domain) {
  Relation relation = product();
  relation.domain = domain;
  return relation;
}

Relation with_reads(const std::string& reads) {
  Relation relation = product();
  relation.reads = reads;
  return relation;
}

Relation with_writes(const std::string& writes) {
  Relation relation = product();
  relation.writes = writes;
  return relation;
}

/// Returns true when the accesses of `operand` equal the relation in `text`.
bool reads_as(const Computation& computation, Operand operand, const std::string& text) {
  const std::unique_ptr<isl_ctx, void (*)(isl_ctx*)> context(isl_ctx_alloc(), &isl_ctx_free);
  const isl::map access(context.get(), computation.relations[static_cast<std::size_t>(operand)]);
  return access.is_equal(isl::map(context.get(), text));
}

std::vector<std::string> tensor_names(const Computation& computation) {
  std::vector<std::string> names;
  for (const TensorAccess& access : computation.tensors) names.push_back(access.name);
  return names;
}

std::vector<std::int64_t> extents(const TensorAccess& access) {
  std::vector<std::int64_t> sizes;
  for (const DataDim& data : access.data) sizes.push_back(data.extent);
  return sizes;
}

/// Counts the elements that the box `tile` with the first iteration `origin` accesses, point by
/// point. With `clip`, padding is not counted.
std::int64_t enumerate(const Computation& computation, Operand operand, const Tile& origin,
                       const Tile& tile, bool clip) {
  std::set<std::vector<std::int64_t>> elements;
  Tile at = origin;
  const auto advance = [&] {
    for (int d = computation.dims() - 1; d >= 0; --d) {
      if (++at[Dim{d}] < origin[Dim{d}] + tile[Dim{d}]) return true;
      at[Dim{d}] = origin[Dim{d}];
    }
    return false;
  };
  do {
    std::vector<std::int64_t> element;
    bool inside = true;
    for (const DataDim& data : computation.tensor(operand).data) {
      std::int64_t value = data.offset;
      for (const Term& term : data.terms) value += term.coefficient * at[term.dim];
      inside = inside && value >= 0 && value < data.extent;
      element.push_back(value);
    }
    if (inside || !clip) elements.insert(element);
  } while (advance());
  return static_cast<std::int64_t>(elements.size());
}

Axis random_axis(std::mt19937& random) {
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Axis axis{.out = draw(1, 5), .filter = draw(1, 3), .stride = draw(1, 3), .dilation = draw(1, 3)};
  axis.pad_before = draw(0, 2);
  axis.pad_after = draw(0, 2);
  const std::int64_t span = axis.stride * (axis.out - 1) + axis.dilation * (axis.filter - 1) + 1;
  axis.in = std::max<std::int64_t>(1, span - axis.pad_before - axis.pad_after);
  return axis;
}

Tile random_part(const Computation& computation, std::mt19937& random, Tile& origin) {
  Tile tile{};
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t extent = computation.extent(Dim{d});
    tile[Dim{d}] = std::uniform_int_distribution<std::int64_t>(1, extent)(random);
    origin[Dim{d}] = std::uniform_int_distribution<std::int64_t>(0, extent - tile[Dim{d}])(random);
  }
  return tile;
}

}  // namespace

TEST_CASE("conv: the accesses are the relations of the definition") {
  const Computation conv = computation_of(skewed_conv());
  CHECK(reads_as(conv, kInput, "{ S[n,g,k,c,h,w,r,s] -> In[n, g, c, 2h + 2r - 1, w + s] }"));
  CHECK(reads_as(conv, Operand::weights, "{ S[n,g,k,c,h,w,r,s] -> Ker[g,k,c,r,s] }"));
  CHECK(reads_as(conv, kOutput, "{ S[n,g,k,c,h,w,r,s] -> Out[n,g,k,h,w] }"));
  CHECK(tensor_names(conv) == std::vector<std::string>{"In", "Ker", "Out"});
  CHECK(conv.extents == std::vector<std::int64_t>{2, 1, 4, 3, 2, 4, 3, 3});
}

TEST_CASE("conv: stride, dilation and padding come back as coefficients and offset") {
  const Computation conv = computation_of(skewed_conv());
  const std::vector<DataDim>& in = conv.tensor(kInput).data;
  const Dim h = conv.dim("h"), w = conv.dim("w"), r = conv.dim("r"), s = conv.dim("s");
  // The rows -1 to 2 * 1 + 2 * 2 - 1 = 5 are read, and the input has the rows 0 to 4.
  CHECK(in[3] == DataDim{{{h, 2}, {r, 2}}, -1, 5, true});
  CHECK(in[4] == DataDim{{{w, 1}, {s, 1}}, 0, 6, false});
  CHECK(in[2] == DataDim{{{conv.dim("c"), 1}}, 0, 3, false});
}

TEST_CASE("conv: rows that only the padding after the input holds are clipped too") {
  ConvShape shape = skewed_conv();
  shape.height = {.in = 4, .out = 4, .filter = 2, .pad_after = 1};
  CHECK(computation_of(shape).tensor(kInput).data[3].clipped);
}

TEST_CASE("conv: channels count per group, and the group is a batch dim") {
  const Computation conv = computation_of(grouped_conv(2, 3));
  CHECK(conv.extents == std::vector<std::int64_t>{2, 2, 4, 3, 2, 5, 1, 1});
  CHECK(extents(conv.tensor(kInput)) == std::vector<std::int64_t>{2, 2, 3, 2, 5});
  CHECK(conv.role(conv.dim("g")) == Role::batch);
  CHECK(conv.role(conv.dim("n")) == Role::pixel);
  CHECK(conv.role(conv.dim("k")) == Role::channel);
  CHECK(conv.role(conv.dim("c")) == Role::reduction);
}

TEST_CASE("conv: a dim of extent 1 keeps its role") {
  const Computation conv = computation_of(grouped_conv(2, 3));
  CHECK(conv.extent(conv.dim("r")) == 1);
  CHECK(conv.role(conv.dim("r")) == Role::reduction);
  CHECK(is_present(conv.tensor(kInput), conv.dim("r")));
}

TEST_CASE("conv: groups must divide the channels and sizes must be positive") {
  ConvShape shape = grouped_conv(2, 3);
  shape.c = 5;
  CHECK_THROWS_WITH_AS(computation_of(shape), "conv: g is 2; must divide c = 5", Error);
  shape = grouped_conv(2, 3);
  shape.width.filter = 0;
  CHECK_THROWS_WITH_AS(computation_of(shape), "conv: filter width is 0; must be at least 1", Error);
}

TEST_CASE("gemm: a single product has no batch dim") {
  const Computation gemm = computation_of(parse_gemm("m4n6k2"));
  CHECK(gemm.names == std::vector<std::string>{"i", "j", "k"});
  CHECK(gemm.extents == std::vector<std::int64_t>{4, 6, 2});
  CHECK(tensor_names(gemm) == std::vector<std::string>{"A", "B", "C"});
  CHECK(gemm.role(gemm.dim("i")) == Role::pixel);
  CHECK(gemm.role(gemm.dim("j")) == Role::channel);
  CHECK(gemm.role(gemm.dim("k")) == Role::reduction);
  CHECK(gemm.tensor(kOutput).transfers == 2);
  CHECK(gemm.tensor(kInput).transfers == 1);
}

TEST_CASE("gemm: the batch dim is in all three tensors") {
  const Computation gemm = computation_of(parse_gemm("b3m4n6k2"));
  CHECK(reads_as(gemm, Operand::weights, "{ S[b,i,j,k] -> B[b,k,j] }"));
  CHECK(gemm.role(gemm.dim("b")) == Role::batch);
}

TEST_CASE("gemm: a leading dimension is at least a row") {
  CHECK_THROWS_WITH_AS(
      computation_of(GemmShape{.name = "", .m = 4, .n = 6, .k = 2, .lda = 1, .ldb = 6, .ldc = 6}),
      "gemm: lda is 1; must be at least k = 2", Error);
}

TEST_CASE("relation: a product written by the user is the gemm of its sizes") {
  const Computation mine = computation_of(product());
  const Computation gemm = computation_of(parse_gemm("m4n6k2"));
  CHECK(mine.names == gemm.names);
  CHECK(mine.extents == gemm.extents);
  CHECK(mine.tensors == gemm.tensors);
  CHECK(mine.relations == gemm.relations);
}

TEST_CASE("relation: weights are the operand along which the output is vectorised") {
  const Computation mine = computation_of(with_reads("{ S[i,j,k] -> B[k,j]; S[i,j,k] -> A[i,k] }"));
  CHECK(tensor_names(mine) == std::vector<std::string>{"A", "B", "C"});
}

TEST_CASE("relation: without such an operand the reads keep their order") {
  // The last index of Y is w. In Z, w shares its index with s, and X does not contain w.
  const std::string domain = "{ [k,w,s] : 0 <= k < 4 and 0 <= w < 6 and 0 <= s < 3 }",
                    writes = "{ [k,w,s] -> Y[k,w] }";
  const Computation zx =
      computation_of(Relation{"", domain, "{ [k,w,s] -> Z[w + s]; [k,w,s] -> X[k,s] }", writes});
  CHECK(tensor_names(zx) == std::vector<std::string>{"Z", "X", "Y"});
  const Computation xz =
      computation_of(Relation{"", domain, "{ [k,w,s] -> X[k,s]; [k,w,s] -> Z[w + s] }", writes});
  CHECK(tensor_names(xz) == std::vector<std::string>{"X", "Z", "Y"});
}

TEST_CASE(
    "relation: iterators of the accesses go by position, and the domain may be many constraints") {
  const Computation mine = computation_of(Relation{
      "", "{ S[i,j,k] : i >= 0 and j >= 0 and 0 <= k < 2 and i < 4 and j < 6 and i + j < 100 }",
      "{ S[a,b,c] -> A[a,c]; S[x,y,z] -> B[z,y] }", "{ S[i,j,k] -> C[i,j] }"});
  CHECK(mine.extents == std::vector<std::int64_t>{4, 6, 2});
  CHECK(mine.tensors == computation_of(product()).tensors);
}

TEST_CASE("relation: reads before the start of a tensor are padding") {
  const Computation mine =
      computation_of(with_reads("{ S[i,j,k] -> A[2i + k - 1]; S[i,j,k] -> B[k,j] }"));
  CHECK(mine.tensor(kInput).data[0] == DataDim{{{Dim{0}, 2}, {Dim{2}, 1}}, -1, 7, true});
}

TEST_CASE("relation: what is wrong with a domain is said") {
  const auto refuses = [](const std::string& domain, const char* why) {
    CHECK_THROWS_WITH_AS(computation_of(with_domain(domain)), why, Error);
  };
  refuses("{ S[i,j,k] : 0 <= i < }",
          "relation: domain `{ S[i,j,k] : 0 <= i < }` is not isl text (syntax error)");
  refuses("[n] -> { S[i,j,k] : 0 <= i < n and 0 <= j < 6 and 0 <= k < 2 }",
          "relation: the domain has parameters; sizes must be numbers");
  refuses("{ S[i,j,k] : 0 <= i < 4 and i < 0 and j = 0 and k = 0 }",
          "relation: the domain is empty; must hold at least one iteration");
  refuses("{ S[] }", "relation: the domain has 0 iterators; must be 1 to 12");
  refuses("{ S[i,j,0] : 0 <= i < 4 and 0 <= j < 6 }",
          "relation: index 2 of the domain is not an iterator of its own; must be one");
  refuses("{ S[i,j,k] : 0 <= i and 0 <= j < 6 and 0 <= k < 2 }",
          "relation: the range of i is 0 .. infty; must be bounded by 64-bit numbers");
  refuses("{ S[i,j,k] : 0 <= i < 99999999999999999999 and 0 <= j < 6 and 0 <= k < 2 }",
          "relation: the range of i is 0 .. 99999999999999999998; must be bounded by 64-bit "
          "numbers");
  refuses("{ S[i,j,k] : 1 <= i < 4 and 0 <= j < 6 and 0 <= k < 2 }",
          "relation: i starts at 1; must start at 0");
  const char* const box =
      "relation: the domain is not a box; must be 0 <= iterator < constant for each iterator, "
      "and no more";
  refuses("{ S[i,j,k] : 0 <= i < 4 and 0 <= j <= i and 0 <= k < 2 }", box);
  refuses("{ S[i,j,k] : 0 <= i < 4 and i mod 2 = 0 and 0 <= j < 6 and 0 <= k < 2 }", box);
}

TEST_CASE("relation: what is wrong with an access is said") {
  const auto refuses = [](const std::string& reads, const char* why) {
    CHECK_THROWS_WITH_AS(computation_of(with_reads(reads)), why, Error);
  };
  const std::string b = "; S[i,j,k] -> B[k,j] }";
  refuses("{ S[i,j,k] -> A[i,k" + b,
          "relation: reads `{ S[i,j,k] -> A[i,k; S[i,j,k] -> B[k,j] }` is not isl text (syntax "
          "error)");
  refuses("[n] -> { S[i,j,k] -> A[i,k + n]; S[i,j,k] -> B[k,j] }",
          "relation: A is accessed with parameters; must be numbers");
  refuses("{ T[i,j,k] -> A[i,k]" + b,
          "relation: A is not accessed from the iterations of the domain; must be S with 3 "
          "iterators");
  refuses("{ S[i,j,k] -> A[i,k] : i < 3" + b,
          "relation: A is not accessed in every iteration of the domain; must be");
  refuses("{ S[i,j,k] -> A[i,k]; S[i,j,k] -> A[i,k + 1]" + b,
          "relation: A has several elements per iteration; must have one");
  refuses("{ S[i,j,k] -> A[i,k] : i < 2; S[i,j,k] -> A[i + 5,k] : i >= 2" + b,
          "relation: A is accessed in 2 pieces; must be one");
  refuses("{ S[i,j,k] -> A[floor(i/2),k]" + b,
          "relation: index 0 of A divides or takes a remainder; must be affine");
  refuses("{ S[i,j,k] -> A[i,k mod 2]" + b,
          "relation: index 1 of A divides or takes a remainder; must be affine");
  refuses("{ S[i,j,k] -> A[i - k]" + b, "relation: index 0 of A has -1k; factors must be positive");
  refuses("{ S[i,j,k] -> A[i,i + k]" + b,
          "relation: A uses i in two indices; an iterator may occur in one index of a tensor");
  refuses("{ S[i,j,k] -> [i,k]" + b, "relation: an access has no tensor name; must be like A[i,k]");
  refuses("{ S[i,j,k] -> A[99999999999999999999i,k]" + b,
          "relation: index 0 of A has the factor 99999999999999999999; must be a 64-bit integer");
  refuses("{ S[i,j,k] -> A[9223372036854775807i,k]" + b,
          "relation: index 0 of A exceeds 2^63 - 1; must not");
  refuses("{ S[i,j,k] -> A[1152921504606846976i,k]" + b,
          "relation: A has more than 2^57 bytes; must not");
  refuses("{ S[i,j,k] -> A[i - 9,k]" + b, "relation: index 0 of A ends at -6; must reach 0");
}

TEST_CASE("relation: it must be one product of two reads, summed into one write") {
  CHECK_THROWS_WITH_AS(
      computation_of(with_reads("{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j]; S[i,j,k] -> D[j] }")),
      "relation: reads names 3 tensors (A, B, D); must be exactly 2", Error);
  CHECK_THROWS_WITH_AS(computation_of(with_writes("{ S[i,j,k] -> C[i,j]; S[i,j,k] -> D[i,j] }")),
                       "relation: writes names 2 tensors (C, D); must be exactly 1", Error);
  CHECK_THROWS_WITH_AS(computation_of(with_writes("{ S[i,j,k] -> A[i,j] }")),
                       "relation: A is both read and written; must be different tensors", Error);
  CHECK_THROWS_WITH_AS(
      computation_of(with_writes("{ S[i,j,k] -> C[i + j] }")),
      "relation: index 0 of the written C is an expression; must be one iterator or 0", Error);
  CHECK_THROWS_WITH_AS(computation_of(with_reads("{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k] }")),
                       "relation: j occurs in no read; must", Error);
}

TEST_CASE("dim: an unknown name is answered with those that exist") {
  const Computation gemm = computation_of(product());
  CHECK(gemm.dim("k") == Dim{2});
  CHECK_THROWS_WITH_AS(gemm.dim("q"), "dimension q is unknown; must be one of i, j, k", Error);
}

TEST_CASE("count: 7 strided outputs with 3 taps touch 15 inputs, 14 inside the array") {
  ConvShape shape;
  shape.width = {.in = 14, .out = 7, .filter = 3, .stride = 2, .pad_before = 1};
  const Computation conv = computation_of(shape);
  const Tile all{{1, 1, 1, 1, 1, 7, 1, 3}};
  CHECK(oracle::count_elements(conv, kInput, {}, all, false) == 15);
  CHECK(oracle::count_elements(conv, kInput, {}, all, true) == 14);
}

TEST_CASE("count: boxes of random convolutions equal their enumeration") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const ConvShape shape{.name = "",
                          .n = 2,
                          .g = 2,
                          .c = 4,
                          .k = 4,
                          .height = random_axis(random),
                          .width = random_axis(random)};
    const Computation conv = computation_of(shape);
    Tile origin{};
    const Tile tile = random_part(conv, random, origin);
    for (const Operand operand : {kInput, Operand::weights, kOutput})
      for (const bool clip : {false, true})
        CHECK(oracle::count_elements(conv, operand, origin, tile, clip) ==
              enumerate(conv, operand, origin, tile, clip));
  }
}

TEST_CASE("relation: parameters are named, and numbers beyond 64 bits of work refused") {
  CHECK_THROWS_WITH_AS(
      computation_of(with_domain("{ S[i,j,k] : 0 <= i < 4 and 0 <= j < N and 0 <= k < 2 }")),
      "relation: domain `{ S[i,j,k] : 0 <= i < 4 and 0 <= j < N and 0 <= k < 2 }` has the "
      "parameter N; must be a number",
      Error);
  CHECK_THROWS_WITH_AS(computation_of(with_reads("{ S[i,j,k] -> A[i + M,k]; S[i,j,k] -> B[k,j] }")),
                       "relation: reads `{ S[i,j,k] -> A[i + M,k]; S[i,j,k] -> B[k,j] }` has the "
                       "parameter M; must be a number",
                       Error);
  CHECK_THROWS_WITH_AS(
      computation_of(with_domain("{ S[i,j,k] : 0 <= i < 4194304 and 0 <= j < 4194304 and "
                                 "0 <= k < 4194304 }")),
      "relation: operations are 2 * 4194304 * 4194304 * 4194304; must be at most 2^63 - 1", Error);
}

TEST_CASE("relation: where no vectors fit, one more dim of one iteration is a channel") {
  const std::string domain = "{ [i,r] : 0 <= i < 30 and 0 <= r < 3 }";
  const Computation filter = computation_of(
      Relation{"", domain, "{ [i,r] -> A[i + r]; [i,r] -> B[r] }", "{ [i,r] -> C[i] }"});
  CHECK(filter.names == std::vector<std::string>{"u", "i", "r"});
  CHECK(filter.extents == std::vector<std::int64_t>{1, 30, 3});
  CHECK(filter.role(filter.dim("u")) == Role::channel);
  const std::string box = " : u = 0 and 0 <= i < 30 and 0 <= r < 3 }";
  CHECK(reads_as(filter, kInput, "{ S[u,i,r] -> A[i + r]" + box));
  CHECK(reads_as(filter, Operand::weights, "{ S[u,i,r] -> B[r,u]" + box));
  CHECK(reads_as(filter, kOutput, "{ S[u,i,r] -> C[i,u]" + box));
}

TEST_CASE("relation: the dim that is added has a name of its own, and needs room") {
  const Computation named = computation_of(
      Relation{"", "{ [u] : 0 <= u < 30 }", "{ [u] -> A[2u]; [u] -> B[u] }", "{ [u] -> C[u] }"});
  CHECK(named.names == std::vector<std::string>{"uu", "u"});
  const std::string all = "[a,b,c,d,e,f,g,h,i,j,k,l]";
  const std::string few = "0 <= a,b,c,d,e,f,g,h,i,j,k,l < 2";
  CHECK_THROWS_WITH_AS(
      computation_of(Relation{"", "{ " + all + " : " + few + " }",
                              "{ " + all + " -> A[a,b,c,d,e,f,g,h,i,j,k,l]; " + all + " -> B[a] }",
                              "{ " + all + " -> C[b,c,d,e,f,g,h,i,j,k,a] }"}),
      "relation: 12 iterators, along none of which vectors are contiguous; must be at most 11",
      Error);
}

TEST_CASE("count: three iterators in one index equal their enumeration") {
  const Computation mine =
      computation_of(with_reads("{ S[i,j,k] -> A[5i + 3j + 7k - 4]; S[i,j,k] -> B[k,j] }"));
  const Tile all = extents_of(mine);
  const std::int64_t touched = enumerate(mine, kInput, {}, all, false);
  CHECK(touched < 4 * 6 * 2);
  CHECK(oracle::count_elements(mine, kInput, {}, all, false) == touched);
  CHECK(oracle::count_elements(mine, kInput, {}, all, true) ==
        enumerate(mine, kInput, {}, all, true));
}
