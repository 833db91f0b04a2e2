// SPDX-License-Identifier: Apache-2.0
// This test checks the meaning of schedule text, its round trip and its error messages.
#include "tileplan/schedule.h"

#include <doctest/doctest.h>

#include <random>

#include "tileplan/error.h"

namespace tileplan {
namespace {

std::string complaint(const std::string& text) {
  try {
    parse_schedule(text);
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string start = "schedule: ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
  }
  return "";
}

std::int64_t draw(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

Specifier random_specifier(std::mt19937& random) {
  const char* const dims[] = {"k", "h", "w", "i0", "row_block"};
  Specifier specifier{.kind = static_cast<Kind>(draw(random, 0, 5)),
                      .dim = dims[draw(random, 0, 4)]};
  const bool either = specifier.kind == Kind::unroll || specifier.kind == Kind::parallel;
  const bool counted = specifier.kind == Kind::tile || (either && draw(random, 0, 1) == 1);
  if (counted) specifier.count = draw(random, 1, 1000);
  if (specifier.kind == Kind::lambda || (specifier.kind == Kind::parallel && !counted)) {
    for (std::int64_t parts = draw(random, 1, 3); parts > 0; --parts) {
      specifier.parts.push_back({.times = draw(random, 1, 9), .size = draw(random, 1, 30)});
    }
  }
  return specifier;
}

WinogradTiles random_tiles(std::mt19937& random) {
  WinogradTiles tiles{.outputs = {draw(random, 1, 8), draw(random, 1, 8)}};
  for (std::vector<Fraction>& points : tiles.points)
    for (std::int64_t count = draw(random, 0, 3); count > 0; --count)
      points.push_back({.numerator = draw(random, -9, 9), .denominator = draw(random, 1, 8)});
  return tiles;
}

Schedule random_schedule(std::mt19937& random) {
  Schedule schedule;
  for (std::int64_t loops = draw(random, 0, 12); loops > 0; --loops) {
    schedule.loops.push_back(random_specifier(random));
  }
  schedule.in = static_cast<Layout>(draw(random, 0, 4));
  schedule.out = static_cast<Layout>(draw(random, 0, 4));
  const auto loops = static_cast<std::int64_t>(schedule.loops.size());
  if (loops > 0 && draw(random, 0, 1) == 1) {
    schedule.pack_input = static_cast<int>(draw(random, 0, loops - 1));
  }
  schedule.prefetch = static_cast<int>(4 * draw(random, 0, 4));
  if (loops > 0 && draw(random, 0, 1) == 1)
    schedule.ahead = static_cast<int>(draw(random, 0, loops - 1));
  schedule.nontemporal = draw(random, 0, 1) == 1;
  if (loops > 0 && draw(random, 0, 1) == 1)
    schedule.pack_output = static_cast<int>(draw(random, 0, loops - 1));
  if (loops > 0 && draw(random, 0, 1) == 1)
    schedule.pack_weights = static_cast<int>(draw(random, 0, loops - 1));
  schedule.weights_in_place = !schedule.pack_weights && draw(random, 0, 1) == 1;
  if (draw(random, 0, 1) == 1) schedule.winograd = random_tiles(random);
  return schedule;
}

/// Returns `text` with white space in random places among those that allow it.
std::string spaced(const std::string& text, std::mt19937& random) {
  const std::size_t list = text.find_last_of(']');
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i <= list && std::string("()[],*").find(text[i]) != std::string::npos;
    if (between && draw(random, 0, 1) == 1) result += " \t";
    result += text[i];
    if ((between || text[i] == ' ') && draw(random, 0, 1) == 1) result += "\n ";
  }
  return result;
}

}  // namespace

TEST_CASE("the schedule of the TTile report reads as its loops, outermost first") {
  const std::string text =
      "[T(16,k), L(h,[2*11,1*12]), T(17,w), T(3,s), T(3,r), T(2,w), T(256,c), U(h), U(2,k), V(k)]";
  const Schedule schedule = parse_schedule(text);
  REQUIRE(schedule.loops.size() == 10);
  CHECK(schedule.loops[0] == Specifier{Kind::tile, "k", 16, {}});
  CHECK(schedule.loops[1] == Specifier{Kind::lambda, "h", 0, {{2, 11}, {1, 12}}});
  CHECK(schedule.loops[7] == Specifier{Kind::unroll, "h", 0, {}});
  CHECK(schedule.loops[8] == Specifier{Kind::unroll, "k", 2, {}});
  CHECK(schedule.loops[9] == Specifier{Kind::vector, "k", 0, {}});
  CHECK(schedule.in == Layout::plain);
  CHECK(to_string(schedule) == text);
}

TEST_CASE("parallel and remaining loops, and one part of a lambda") {
  const Schedule schedule = parse_schedule("[P(8,n), R(c), L(w,[3*4])]");
  CHECK(schedule.loops[0] == Specifier{Kind::parallel, "n", 8, {}});
  CHECK(schedule.loops[1] == Specifier{Kind::rest, "c", 0, {}});
  CHECK(schedule.loops[2] == Specifier{Kind::lambda, "w", 0, {{3, 4}}});
  CHECK(to_string(schedule.loops[2]) == "L(w,[3*4])");
}

TEST_CASE("a parallel loop may have blocks of different sizes") {
  const Schedule schedule = parse_schedule("[P(h,[2*11,1*12])]");
  CHECK(schedule.loops[0] == Specifier{Kind::parallel, "h", 0, {{2, 11}, {1, 12}}});
  CHECK(to_string(schedule) == "[P(h,[2*11,1*12])]");
  CHECK_THROWS_WITH_AS(parse_schedule("[P(h)]"), "schedule: \")\" at character 5: must be ','",
                       Error);
}

TEST_CASE("marks of plain weights, and the names of a product's tensors") {
  const std::string loops = "[T(2,i), T(4,k), V(j)] ";
  const Schedule packed = parse_schedule(loops + "pack=B@1 pack=A@0");
  CHECK(packed.pack_weights == 1);
  CHECK(packed.takes_plain_weights());
  CHECK(to_string(packed) == loops + "pack=in@0 pack=weights@1");
  const Schedule in_place = parse_schedule(loops + "weights=plain");
  CHECK(in_place.weights_in_place);
  CHECK(to_string(in_place) == loops + "weights=plain");
  CHECK_THROWS_WITH_AS(parse_schedule(loops + "weights=plain pack=weights@1"),
                       "schedule: weights=plain and pack=weights@1; must be one, weights are read "
                       "in place or packed",
                       Error);
  CHECK_THROWS_WITH_AS(parse_schedule(loops + "pack=B@1 pack=weights@1"),
                       "schedule: \"pack=weights@1\" at character 33: is given more than once; "
                       "must be given once",
                       Error);
}

TEST_CASE("marks follow the list in any order and print in one") {
  const Schedule schedule = parse_schedule(
      "[T(2,k), V(k)] widen nt prefetch=8 isa=avx512vl ahead=0 pack=in@1 out=nChw16c in=nhwc");
  CHECK(schedule.in == Layout::nhwc);
  CHECK(schedule.out == Layout::nChw16c);
  CHECK(schedule.pack_input == 1);
  CHECK(schedule.prefetch == 8);
  CHECK(schedule.ahead == 0);
  CHECK(schedule.nontemporal);
  CHECK(schedule.isa == Isa::avx512vl);
  CHECK(to_string(schedule) ==
        "[T(2,k), V(k)] in=nhwc out=nChw16c pack=in@1 prefetch=8 ahead=0 nt isa=avx512vl widen");
}

TEST_CASE("layouts have one name each") {
  for (const std::string name : {"plain", "nhwc", "nchw", "nChw16c", "nChw8c"}) {
    CHECK(to_string(parse_layout(name)) == name);
  }
  CHECK_THROWS_WITH_AS(parse_layout("NHWC"),
                       "layout is \"NHWC\"; must be plain, nhwc, nchw, nChw16c or nChw8c", Error);
}

TEST_CASE("random schedules parse back from their text, however it is spaced") {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const Schedule schedule = random_schedule(random);
    const std::string text = to_string(schedule);
    CAPTURE(seed);
    CAPTURE(text);
    CHECK(parse_schedule(text) == schedule);
    CHECK(parse_schedule(spaced(text, random)) == schedule);
  }
}

TEST_CASE("a loop list that is not one is refused at the character where it ends to be one") {
  CHECK(complaint("") == "the end at character 1: must be '['");
  CHECK(complaint("T(2,k)") == "\"T\" at character 1: must be '['");
  CHECK(complaint("[T(2,k)") == "the end at character 8: must be ',' or ']'");
  CHECK(complaint("[T(2,k) V(k)]") == "\"V\" at character 9: must be ',' or ']'");
  CHECK(complaint("[T(2,k),]") == "\"]\" at character 9: must be a specifier: T R L P U or V");
  CHECK(complaint("[X(2,k)]") == "\"X\" at character 2: must be a specifier: T R L P U or V");
  CHECK(complaint("[t(2,k)]") == "\"t\" at character 2: must be a specifier: T R L P U or V");
  CHECK(complaint("[T 2,k)]") == "\"2\" at character 4: must be '('");
  CHECK(complaint("[T(2 k)]") == "\"k\" at character 6: must be ','");
  CHECK(complaint("[T(2,k]") == "\"]\" at character 7: must be ')'");
  CHECK(complaint("[V(2,k)]") ==
        "\"2\" at character 4: must be the name of a dimension, such as k");
  CHECK(complaint("[T(2,)]") == "\")\" at character 6: must be the name of a dimension, such as k");
}

TEST_CASE("counts must be whole and positive") {
  CHECK(complaint("[T(0,k)]") == "\"0\" at character 4: the trip count is 0; must be at least 1");
  CHECK(complaint("[P(-2,k)]") ==
        "\"-2\" at character 4: the trip count is -2; must be at least 1");
  CHECK(complaint("[U(0,k)]") == "\"0\" at character 4: the trip count is 0; must be at least 1");
  CHECK(complaint("[T(k)]") ==
        "\"k\" at character 4: the trip count is \"k\"; must be a whole number");
  CHECK(complaint("[T(2.5,k)]") == "\".\" at character 5: must be ','");
  CHECK(complaint("[T(9223372036854775808,k)]") ==
        "\"9223372036854775808\" at character 4: the trip count is \"9223372036854775808\"; must "
        "fit in 64 bits (at most 2^63 - 1)");
}

TEST_CASE("a lambda must have parts of positive numbers") {
  CHECK(complaint("[L(h)]") == "\")\" at character 5: must be ','");
  CHECK(complaint("[L(h,2*3)]") == "\"2\" at character 6: must be '['");
  CHECK(complaint("[L(h,[])]") ==
        "\"]\" at character 7: the number of blocks is \"]\"; must be a whole number");
  CHECK(complaint("[L(h,[0*3])]") ==
        "\"0\" at character 7: the number of blocks is 0; must be at least 1");
  CHECK(complaint("[L(h,[2*0])]") ==
        "\"0\" at character 9: the size of a block is 0; must be at least 1");
  CHECK(complaint("[L(h,[2])]") == "\"]\" at character 8: must be '*'");
  CHECK(complaint("[L(h,[2*3)]") == "\")\" at character 10: must be ']'");
}

TEST_CASE("marks must be known, given once and complete") {
  const std::string marks =
      "must be a mark: in=LAYOUT out=LAYOUT weights=plain winograd=MxM points=LIST pack=in@POS "
      "pack=weights@POS pack=out@POS prefetch=N ahead=POS nt isa=ISA widen";
  CHECK(complaint("[V(k)] fast") == "\"fast\" at character 8: " + marks);
  CHECK(complaint("[V(k)] nt=1") == "\"nt=1\" at character 8: " + marks);
  CHECK(complaint("[V(k)] nt nt") ==
        "\"nt\" at character 11: is given more than once; must be given once");
  CHECK(complaint("[V(k)] in=nhwc in=nchw") ==
        "\"in=nchw\" at character 16: is given more than once; must be given once");
  CHECK(complaint("[V(k)] in=nwhc") ==
        "\"in=nwhc\" at character 8: layout is \"nwhc\"; must be plain, nhwc, nchw, nChw16c or "
        "nChw8c");
  CHECK(complaint("[V(k)] isa=sse2") ==
        "\"isa=sse2\" at character 8: must be isa=avx2, avx512, avx512vl, neon or amx");
  CHECK(complaint("[V(k)] out") ==
        "\"out\" at character 8: layout is \"\"; must be plain, nhwc, nchw, nChw16c or nChw8c");
}

TEST_CASE("packing and prefetching must name a loop and a distance") {
  CHECK(complaint("[T(2,k), V(k)] pack=in@2") ==
        "\"pack=in@2\" at character 16: must name one of the 2 loops, the outermost is 0");
  CHECK(complaint("[V(k)] pack=in@x") ==
        "\"pack=in@x\" at character 8: the loop to pack in is \"x\"; must be a whole number");
  CHECK(complaint("[T(2,k), V(k)] ahead=2") ==
        "\"ahead=2\" at character 16: must name one of the 2 loops, the outermost is 0");
  CHECK(complaint("[V(k)] prefetch=-1") ==
        "\"prefetch=-1\" at character 8: the prefetch distance is -1; must be at least 0");
  CHECK(complaint("[V(k)] prefetch=2147483648") ==
        "\"prefetch=2147483648\" at character 8: the prefetch distance must be at most 2^31 - 1");
}

TEST_CASE("the marks of a Winograd convolution name its tiles, points and boxes") {
  const Schedule schedule = parse_schedule(
      "[T(7,p), T(36,x), V(k)] winograd=4x2 points=0,1/2,-1/2;1,-3 pack=out@0 pack=in@1");
  REQUIRE(schedule.winograd.has_value());
  CHECK(schedule.winograd->outputs == std::array<std::int64_t, 2>{4, 2});
  CHECK(schedule.winograd->points[0] == std::vector<Fraction>{{0, 1}, {1, 2}, {-1, 2}});
  CHECK(schedule.winograd->points[1] == std::vector<Fraction>{{1, 1}, {-3, 1}});
  CHECK(schedule.pack_input == 1);
  CHECK(schedule.pack_output == 0);
  CHECK(to_string(schedule) ==
        "[T(7,p), T(36,x), V(k)] winograd=4x2 points=0,1/2,-1/2;1,-3 pack=in@1 pack=out@0");
}

TEST_CASE("one list of points serves both directions, and an empty one stands for the table") {
  const auto points = [](const std::string& text) {
    return parse_schedule("[V(k)] winograd=2x2 points=" + text).winograd->points;
  };
  CHECK(points("0,1,-1")[0] == points("0,1,-1")[1]);
  CHECK(points("0,1,-1;")[1].empty());
  CHECK(points(";0,1,-1")[0].empty());
}

TEST_CASE("wrong marks of Winograd convolutions are refused with the rule") {
  CHECK(complaint("[V(k)] points=0,1") == "points=, but no winograd=MxM; must have both");
  CHECK(complaint("[V(k)] winograd=4") ==
        "\"winograd=4\" at character 8: must be winograd=MxM, the rows and columns of outputs in a "
        "tile");
  CHECK(complaint("[V(k)] winograd=2x2 points=") ==
        "\"points=\" at character 21: must be points=LIST, fractions separated by commas");
  CHECK(complaint("[V(k)] winograd=2x2 points=1,") ==
        "\"points=1,\" at character 21: a point is missing after the last comma");
  CHECK(complaint("[V(k)] pack=bias@0") ==
        "\"pack=bias@0\" at character 8: must be pack=in@POS, pack=weights@POS or pack=out@POS");
  CHECK(complaint("[V(k)] pack=in@0 pack=out@0 pack=in@0") ==
        "\"pack=in@0\" at character 29: is given more than once; must be given once");
  for (const char* text : {"winograd=0x2", "winograd=2x", "winograd=2x2 points=1/0",
                           "winograd=2x2 points=a", "winograd=2x2 points=3000000000"}) {
    CAPTURE(text);
    CHECK_FALSE(complaint(std::string("[V(k)] ") + text).empty());
  }
}

}  // namespace tileplan
