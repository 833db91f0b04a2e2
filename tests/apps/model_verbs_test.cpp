// SPDX-License-Identifier: Apache-2.0
// This test compares the verbs movement, classes and bound with published values and enumerated
// tiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "close_to.h"
#include "computation.h"
#include "oracle.h"
#include "program.h"

using namespace tileplan;
using namespace tileplan::test;
using Random = std::mt19937_64;

namespace {

Numbers conv_numbers(const Json& document) { return numbers_of(document, {"In", "Ker", "Out"}); }

/// Returns the argument of --order, outermost first. `inner_to_outer` has one letter per dimension.
std::string outermost_first(const std::string& inner_to_outer) {
  std::string order;
  for (auto letter = inner_to_outer.rbegin(); letter != inner_to_outer.rend(); ++letter) {
    if (!order.empty()) order += ',';
    order += *letter;
  }
  return order;
}

Numbers conv_volumes(const std::string& problem, const std::string& inner_to_outer,
                     const std::string& rest) {
  return conv_numbers(document_of("movement " + problem + " --order " +
                                  outermost_first(inner_to_outer) + " " + rest)
                          .at("volumes"));
}

Numbers gemm_volumes(const std::string& problem, const std::string& inner_to_outer,
                     const std::string& tile) {
  return numbers_of(document_of("movement " + problem + " --order " +
                                outermost_first(inner_to_outer) + " --tile " + tile)
                        .at("volumes"),
                    {"A", "B", "C"});
}

/// Describes how the iterations in `box` are executed in tiles. `box` begins at iteration 0.
struct Walk {
  LoopOrder order;
  Tile tile{};
  oracle::Box box;
};

using Elements = std::set<std::vector<std::int64_t>>;

/// Returns the values that an index takes in `tile`. If `clip` is true, values in the padding are
/// left out.
std::set<std::int64_t> values_of(const DataDim& data, const oracle::Box& tile, bool clip) {
  std::set<std::int64_t> values{data.offset};
  for (const Term& term : data.terms) {
    std::set<std::int64_t> sums;
    for (const std::int64_t value : values)
      for (std::int64_t x = 0; x < tile.size[term.dim]; ++x)
        sums.insert(value + term.coefficient * (tile.first[term.dim] + x));
    values = sums;
  }
  if (clip)
    std::erase_if(values, [&](std::int64_t value) { return value < 0 || value >= data.extent; });
  return values;
}

Elements touched(const TensorAccess& tensor, const oracle::Box& tile, bool clip) {
  Elements elements{{}};
  for (const DataDim& data : tensor.data) {
    Elements longer;
    for (std::vector<std::int64_t> element : elements)
      for (const std::int64_t value : values_of(data, tile, clip)) {
        element.push_back(value);
        longer.insert(element);
        element.pop_back();
      }
    elements = std::move(longer);
  }
  return elements;
}

/// Returns true if the step from tile `from` to tile `to` advances a loop that encloses a loop of
/// several iterations over a dimension of `tensor`.
bool wraps(const TensorAccess& tensor, const Walk& walk, const oracle::Box& from,
           const oracle::Box& to) {
  bool advanced = false;
  bool wrapped = false;
  for (const Dim dim : walk.order) {
    const bool moves = is_present(tensor, dim) && walk.tile[dim] < walk.box.size[dim];
    wrapped = wrapped || (moves && advanced);
    advanced = advanced || from.first[dim] != to.first[dim];
  }
  return wrapped;
}

struct Counted {
  Numbers volumes{}, fullest{};
};

Counted count_tiles(const Computation& computation, const Walk& walk, bool clip) {
  Counted counted;
  const std::vector<oracle::Box> tiles = oracle::tiles(walk.box, walk.order, walk.tile);
  for (std::size_t t = 0; t < counted.volumes.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    Elements before;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const Elements now = touched(tensor, tiles[i], clip);
      const bool anew = i == 0 || wraps(tensor, walk, tiles[i - 1], tiles[i]);
      counted.volumes[t] += std::count_if(now.begin(), now.end(), [&](const auto& element) {
        return anew || !before.contains(element);
      });
      counted.fullest[t] = std::max(counted.fullest[t], static_cast<std::int64_t>(now.size()));
      before = now;
    }
  }
  return counted;
}

std::int64_t uniform(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

Walk random_walk(const Computation& computation, Random& random) {
  Walk walk;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    walk.order.push_back(dim);
    walk.box.size[dim] =
        uniform(random, (computation.extent(dim) + 1) / 2, computation.extent(dim));
    walk.tile[dim] = uniform(random, 1, walk.box.size[dim]);
  }
  std::shuffle(walk.order.begin(), walk.order.end(), random);
  return walk;
}

std::string flags_of(const Computation& computation, const Walk& walk) {
  std::string order, tile, within;
  for (const Dim dim : walk.order) {
    const std::string& name = computation.name(dim);
    const std::string comma = order.empty() ? "" : ",";
    order += comma + name;
    tile += comma + name + std::to_string(walk.tile[dim]);
    within += comma + name + std::to_string(walk.box.size[dim]);
  }
  return " --order " + order + " --tile " + tile + " --within " + within;
}

void check_against_tiles(const std::string& problem, Random& random) {
  const Computation computation = computation_of(parse_problem(problem));
  const Walk walk = random_walk(computation, random);
  const std::string arguments = "movement '" + problem + "'" + flags_of(computation, walk);
  CAPTURE(arguments);
  std::array<const char*, kOperands> names{};
  for (std::size_t t = 0; t < names.size(); ++t) names[t] = computation.tensors[t].name.c_str();
  for (const bool clip : {false, true}) {
    const Json document = document_of(arguments + (clip ? " --clip" : ""));
    const Counted counted = count_tiles(computation, walk, clip);
    CHECK(numbers_of(document.at("volumes"), names) == counted.volumes);
    CHECK(numbers_of(document.at("footprints"), names) == counted.fullest);
  }
}

}  // namespace

TEST_CASE("movement: the eight classes of a convolution, a quarter of its channels per tile") {
  const std::string problem = "mb2ic32ih28oc64oh28kh3ph1";
  const std::map<std::string, Numbers> expected{
      {"whncrsk", {774144, 18432, 1204224}},  {"hwncrsk", {645120, 18432, 1204224}},
      {"scrnkhw", {294912, 294912, 100352}},  {"rcsnkhw", {774144, 294912, 100352}},
      {"kwnchrs", {193536, 294912, 1204224}}, {"khncwrs", {161280, 294912, 1204224}},
      {"ksnchwr", {73728, 294912, 1204224}},  {"krnchws", {193536, 294912, 1204224}}};
  for (const auto& [inner_to_outer, volumes] : expected) {
    const std::string order = inner_to_outer;
    CAPTURE(order);
    CHECK(conv_volumes(problem, order, "--tile k16,c8,h7,w14,r3,s1") == volumes);
  }
}

TEST_CASE("movement: omitted sizes are 1 and dims that the tile covers need no loop") {
  const std::string start = "movement mb2ic32ih28oc64oh28kh3ph1 --tile k16,c8,h7,w14,r3 --order ";
  const Json document = document_of(start + "n,c,h,s,w,k");
  CHECK(conv_numbers(document.at("footprints")) == Numbers{1008, 384, 1568});
  CHECK(document.at("volumes").at("In") == 193536);
}

TEST_CASE("movement: gemm names its tensors A, B and C, batches multiply") {
  const std::string tile = "i24,j16,k12";
  CHECK(gemm_volumes("m96n64k48", "ijk", tile) == Numbers{18432, 3072, 24576});
  CHECK(gemm_volumes("m96n64k48", "jik", tile) == Numbers{4608, 12288, 24576});
  CHECK(gemm_volumes("m96n64k48", "kij", tile) == Numbers{18432, 12288, 6144});
  CHECK(gemm_volumes("b4m96n64k48", "ijkb", tile) == Numbers{73728, 12288, 98304});
}

TEST_CASE("movement: a loop of the user may be called like the dim that vectors get") {
  const Json document = document_of(
      "movement '{ S[u,i] : 0 <= u < 8 and 0 <= i < 10 } reads { S[u,i] -> A[i+u]; S[u,i] -> B[u] "
      "} "
      "writes { S[u,i] -> C[i] }' --order u,i --tile u2,i10");
  CHECK(numbers_of(document.at("footprints"), {"A", "B", "C"}) == Numbers{11, 2, 10});
  CHECK(numbers_of(document.at("volumes"), {"A", "B", "C"}) == Numbers{17, 8, 10});
}

TEST_CASE("movement: a depth of one has loops of one iteration") {
  const std::string problem = "mb1ic8id1ih8oc16od1oh8kd1kh3pd0ph1";
  CHECK(conv_volumes(problem, "srtwhdckgn", "--tile k16,c8,d1,t1") ==
        conv_volumes(problem, "srwhckgn", "--tile k16,c8"));
  check_refused("movement " + problem + " --order n,k,d,h,w,c,r,s --tile d2",
                "tile: \"d\"; must be one of n, g, k, c, h, w, r, s");
}

TEST_CASE("movement: depthwise channels are a batch, whole taps stay or not") {
  const std::string problem = "g64mb1ic64ih56oc64oh56kh3ph1", tile = "--tile g16,h8,w14,r3,s3";
  CHECK(conv_volumes(problem, "whngrs", tile) == Numbers{259840, 576, 200704});
  CHECK(conv_volumes(problem, "hwngrs", tile) == Numbers{237568, 576, 200704});
  CHECK(conv_volumes(problem, "gwhnrs", tile) == Numbers{286720, 16128, 200704});
}

TEST_CASE("movement: tiles of a dilated window that do not meet are loaded whole") {
  const std::string tile = "--tile c2,w4,r3";
  CHECK(conv_volumes("mb1ic3ih11iw5oc4oh7ow5kh3kw1ph0pw0dh1", "hnkrcsw", tile)[0] == 1260);
  CHECK(conv_volumes("mb1ic6ih24iw9oc8oh20ow9kh3kw1ph0pw0dh1", "hnkrcsw",
                     tile + " --within k4,c3,h7,w5,r3")[0] == 1260);
}

TEST_CASE("movement --clip leaves out the rows of zeros around the input") {
  const std::string flags = "movement mb1ic1ih6oc1oh6kh3ph1 --order h,w --tile h3,w6,r3,s3";
  // Two tiles read the rows -1 to 3 and 2 to 6 of 8 columns, which are 8 rows in all. Without
  // padding, they read the rows 0 to 3 and 2 to 5 of 6 columns, which are 6 rows.
  CHECK(document_of(flags).at("volumes").at("In") == 8 * 8);
  const Json clipped = document_of(flags + " --clip");
  CHECK(clipped.at("volumes").at("In") == 6 * 6);
  CHECK(clipped.at("footprints").at("In") == 4 * 6);
}

TEST_CASE("movement equals the enumeration of tiles for every operator, with and without padding") {
  constexpr std::uint64_t kSeed = 20261121;
  constexpr int kWalks = 6;
  CAPTURE(kSeed);
  Random random(kSeed);
  const std::string volume =
      "{ S[k,c,d,h,t,r] : 0 <= k,c < 2 and 0 <= d,h < 5 and 0 <= t,r < 3 } reads "
      "{ S[k,c,d,h,t,r] -> X[c,d+t-1,h+2r-2]; S[k,c,d,h,t,r] -> W[t,r,c,k] } writes "
      "{ S[k,c,d,h,t,r] -> Y[d,h,k] }";
  const std::string three_in_one =
      "{ S[x,y,z,k] : 0 <= x < 4 and 0 <= y < 3 and 0 <= z < 2 and 0 <= k < 3 } reads "
      "{ S[x,y,z,k] -> X[3x+2y+5z-4]; S[x,y,z,k] -> W[z,y,k] } writes { S[x,y,z,k] -> Y[x,k] }";
  const std::vector<std::string> problems{"mb2ic3ih5oc4oh5kh3ph1",
                                          "mb1ic2ih9iw8oc3oh5ow4kh3kw3sh2sw2ph1pw1",
                                          "mb1ic2ih7oc2oh7kh3ph2dh1",
                                          "mb1ic2ih10iw6oc2oh4ow6kh2kw1sh3sw1ph1pw0",
                                          "g2mb1ic4ih5oc6oh5kh3ph1",
                                          "g4mb2ic4ih6oc4oh3kh3sh2ph1",
                                          "mb2ic3ih4oc5oh4kh1ph0",
                                          "b2m5n4k3",
                                          volume,
                                          three_in_one};
  for (const std::string& problem : problems)
    for (int walk = 0; walk < kWalks; ++walk) check_against_tiles(problem, random);
}

TEST_CASE("classes: numbers of classes and signatures of every operator") {
  const std::map<std::string, std::pair<int, int>> expected{
      {"gemm", {3, 3}},       {"bmm", {3, 4}},     {"conv", {8, 29}},      {"gconv", {8, 30}},
      {"depthwise", {4, 17}}, {"conv1x1", {3, 9}}, {"resnet18-2", {8, 21}}};
  for (const auto& [operator_name, counts] : expected) {
    const std::string name = operator_name;
    CAPTURE(name);
    const Json document = document_of("classes " + name);
    CHECK(document.at("classes").size() == static_cast<std::size_t>(counts.first));
    CHECK(document.at("signatures") == counts.second);
  }
}

TEST_CASE("classes: orders are outermost first, so the class is the end of its order reversed") {
  const Json conv = document_of("classes conv").at("classes");
  const Json expected{{"name", "kw"}, {"order", {"n", "c", "h", "r", "s", "w", "k"}}};
  CHECK(std::count(conv.begin(), conv.end(), expected) == 1);
}

TEST_CASE("bound: gemm, a convolution, a stride, and a capacity where nothing is read twice") {
  const auto check = [](const std::string& arguments, double lb1, double lb2) {
    CAPTURE(arguments);
    const Json document = document_of("bound " + arguments);
    CHECK(document.at("lb1").get<double>() == close_to(lb1).epsilon(1e-6));
    CHECK(document.at("lb2").get<double>() == close_to(lb2).epsilon(1e-6));
    CHECK(document.at("bound") ==
          std::max({document.at("lb1"), document.at("lb2"), document.at("compulsory")}));
  };
  check("m1024n1024k1024 --capacity 8192", 23710182, 23724032);
  check("m1024n1024k1024 --capacity 262144", 3670016, 4189905);
  check("resnet18-2 --capacity 8192", 835131, 851310);
  check("resnet18-7 --capacity 8192", 622252, 638482);
  check("yolo9000-8 --capacity 8192", 10028017, 10043392);
  CHECK(document_of("bound resnet18-2 --capacity 8192").at("compulsory") == 452864);
  CHECK(document_of("bound yolo9000-8 --capacity 262144").at("bound") == 2105856);
}

TEST_CASE("movement, classes and bound refuse in one line") {
  const std::string movement = "movement m8n8k8 --order i,j,k ";
  check_refused(movement + "--tile i9", "tile: the size of i is 9; must be at most 8");
  check_refused(movement + "--tile i4 --within i3", "the size of i is 4; must be at most 3");
  check_refused(movement + "--within i16", "box: the size of i is 16; must be at most 8");
  check_refused(movement + "--tile i0", "tile: the size of i is 0; must be at least 1");
  check_refused(movement + "--tile ix", "--tile: 'ix'; must be a size like k4 of one of i, j, k");
  check_refused(movement + "--tile i2,", "--tile: ''; must be a size");
  check_refused(movement + "--tile i1.5", "--tile: 'i1.5'; must be a size");
  check_refused(movement + "--tile i2,i4", "--tile: i appears twice; must appear once");
  check_refused("movement m8n8k8 --order i,j --tile k2", "order: k is missing; its tile of 2");
  check_refused("movement m8n8k8 --order i,j,q", "order: \"q\"; must be one of i, j, k");
  check_refused("movement m8n8k8 --order i,j,k,i", "order: i appears twice; must appear once");
  check_refused("movement m8n8k8", "--order is required");
  check_refused(
      "movement '{ S[i,j,k] : 0 <= i,j,k < 3000000 } reads { S[i,j,k] -> A[i,k]; S[i,j,k] -> "
      "B[k,j] } writes { S[i,j,k] -> C[i,j] }' --order i,j,k",
      "2^63 - 1");
  const std::string long_row =
      "'{ S[x,y,k] : 0 <= x,y < 60000 and 0 <= k < 2 } reads { S[x,y,k] -> X[x+y-1]; S[x,y,k] -> "
      "W[y,k] } writes { S[x,y,k] -> Y[x,k] }'";
  check_refused("movement " + long_row + " --order x,y,k --clip", "3.6e+09 combinations; must be");
  check_refused("classes relu", "relu");
  check_refused("bound m8n8k8", "--capacity is required");
  check_refused("bound m8n8k8 --capacity 0", "capacity is 0; must be at least 1");
  check_refused("bound m8n8k8 --capacity much", "--capacity is 'much'; must be a whole number");
}

TEST_CASE("movement, classes and bound print text for people") {
  for (const std::string arguments :
       {"movement m8n8k8 --order i,j,k", "classes gemm", "bound m8n8k8 --capacity 64"}) {
    const Outcome outcome = run_program(arguments);
    CHECK(outcome.status == 0);
    CHECK_FALSE(outcome.out.starts_with('{'));
  }
}
