// SPDX-License-Identifier: Apache-2.0
// This test checks schedules with one register tile, and runs the study `smallgemm` on products
// with few rows and with made-up peers.
#include <doctest/doctest.h>

#include "csv.h"
#include "error_of.h"
#include "gemm_ladder.h"
#include "one_tile.h"
#include "studies.h"
#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

using namespace tileplan;

namespace {

/// Returns a machine on which only `fast` is calibrated, at a rate that no machine has.
Machine calibrated(RegisterTile fast) {
  Machine machine = detect_machine();
  machine.rates.kernels = {{.pixels = fast.pixels,
                            .vectors = fast.vectors,
                            .cycles_per_step = 0.01,
                            .cycles_per_call = 1}};
  return machine;
}

std::vector<std::string> texts(const GemmShape& shape, RegisterTile tile, int lanes) {
  std::vector<std::string> all;
  for (const Schedule& schedule : tiled_schedules(shape, tile, lanes))
    all.push_back(to_string(schedule));
  return all;
}

/// Returns a peer whose result is right, or too large by 1 in the last output.
GemmPeer peer(const std::string& name, bool right) {
  return {
      .name = name, .version = "1.0", .bind = [=](const GemmShape& shape, const auto& operands) {
        return [=] {
          scalar_products().front().run(shape, operands);
          if (!right) operands.c.back() += 1;
        };
      }};
}

std::vector<GemmPeer> peers() {
  return {peer("Plain", true), peer("Wrong", false), {.name = "Absent", .missing = "not here"}};
}

StudyOptions options(const TemporaryFolder& folder) {
  return {.layers = {parse_gemm("m9n32k16"), parse_gemm("m10n32k16")},
          .folder = folder / "out",
          .measurements = 6,
          .budget_seconds = 1,
          .version = "test"};
}

std::string run(const StudyOptions& options) {
  std::string said;
  study_smallgemm(detect_machine(), options, peers(),
                  [&](const std::string& text) { said += text; });
  return said;
}

std::string error_of(const StudyOptions& options) {
  return tileplan::error_of([&] { run(options); });
}

}  // namespace

TEST_CASE("one tile: what is left over is a smaller tile; both orders of i and j") {
  const GemmShape shape = parse_gemm("m17n128k64");
  CHECK(texts(shape, {.pixels = 8, .vectors = 2}, 16) ==
        std::vector<std::string>{"[L(i,[2*8,1*1]), T(4,j), T(64,k), U(i), U(2,j), V(j)]",
                                 "[T(4,j), L(i,[2*8,1*1]), T(64,k), U(i), U(2,j), V(j)]"});
  CHECK(texts(parse_gemm("m24n128k64"), {.pixels = 8, .vectors = 2}, 16) ==
        std::vector<std::string>{"[T(3,i), T(4,j), T(64,k), U(8,i), U(2,j), V(j)]",
                                 "[T(4,j), T(3,i), T(64,k), U(8,i), U(2,j), V(j)]"});
  CHECK(texts(parse_gemm("m5n16k1"), {.pixels = 8, .vectors = 1}, 16) ==
        std::vector<std::string>{"[U(5,i), V(j)]"});
}

TEST_CASE("one tile: the fewest cycles per multiply-add among tiles whose vectors divide n") {
  constexpr RegisterTile kFour{.pixels = 4, .vectors = 2}, kThree{.pixels = 2, .vectors = 3};
  const std::int64_t lanes = detect_machine().vector.lanes;
  GemmShape shape = parse_gemm("m7n1k100");
  shape.n = shape.ldb = shape.ldc = 4 * lanes;
  CHECK(fastest_tile(shape, calibrated(kFour)) == kFour);
  CHECK(4 % fastest_tile(shape, calibrated(kThree)).vectors == 0);
  shape.n += 1;
  CHECK_THROWS_WITH_AS(fastest_tile(shape, calibrated(kFour)),
                       doctest::Contains("whose n is a multiple of"), Error);
}

TEST_CASE("one tile: all its schedules compute the product") {
  const Machine machine = detect_machine();
  for (const char* text : {"m3n32k8", "m9n32k8", "m24n64k5"}) {
    const GemmShape shape = parse_gemm(text);
    for (const Schedule& schedule :
         tiled_schedules(shape, {.pixels = 4, .vectors = 1}, machine.vector.lanes))
      CHECK(check_kernel(compile(plan_of(shape, machine, schedule))).passed());
  }
}

TEST_CASE("smallgemm: the products of the figure") {
  const std::vector<Problem> products = small_products();
  CHECK(products.size() == 43);
  CHECK(to_string(products.front()) == "m8n128k128");
  CHECK(to_string(products.back()) == "m50n128k128");
}

TEST_CASE(
    "study smallgemm: a row for each side, wrong results are not timed, the absent is named") {
  const TemporaryFolder folder;
  const std::string said = run(options(folder));
  CHECK(content_of(folder / "out/summary.txt") == said);
  CHECK(said.find("# Absent: not here\n") != std::string::npos);
  CHECK(said.find("# combinations: timed are the product, ") != std::string::npos);
  CHECK(said.find("# Plain: 1.0: timed are the product, and packing A and B\n") !=
        std::string::npos);
  CHECK(said.find("Wrong: wrong result: ") != std::string::npos);
  const std::string table = content_of(folder / "out/smallgemm.csv");
  for (const char* row : {"\nm9n32k16,combinations,", "\nm9n32k16,partial tile,",
                          "\nm10n32k16,padding,", "\nm10n32k16,Plain,"})
    CHECK(table.find(row) != std::string::npos);
  CHECK(table.find("Absent,") == std::string::npos);
  const std::size_t wrong = table.find("\nm9n32k16,Wrong,");
  REQUIRE(wrong != std::string::npos);
  const std::vector<std::string> fields =
      csv_fields(table.substr(wrong + 1, table.find('\n', wrong + 1) - wrong));
  CHECK(fields[2].empty());
  CHECK(content_of(folder / "out/smallgemm.svg").starts_with("<svg "));
}

TEST_CASE("study smallgemm: going on measures nothing again") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  run(chosen);
  const std::string table = content_of(folder / "out/smallgemm.csv");
  CHECK(error_of(chosen) ==
        (folder / "out/smallgemm.csv") + " is there already; --resume goes on with it");
  chosen.resume = true;
  run(chosen);
  CHECK(content_of(folder / "out/smallgemm.csv") == table);
  chosen.seed = 2;
  CHECK(error_of(chosen).find("was made otherwise") != std::string::npos);
}

TEST_CASE("study smallgemm: options that make no sense are named") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  chosen.layers.clear();
  CHECK(error_of(chosen) == "layers: none; must be at least one");
  chosen = options(folder);
  chosen.measurements = 5;
  CHECK(error_of(chosen) == "pairs: 5; must be at least 6");
  chosen.measurements = 6;
  // Register tiles hold whole vectors of columns. The peers compute one product and write rows
  // without gaps.
  for (const std::string product : {"m8n17k8", "m8n16k8ldc32", "b2m8n16k8"}) {
    chosen.layers = {parse_gemm(product)};
    CHECK(error_of(chosen).starts_with("smallgemm: " + product +
                                       "; must be one product in f32 of matrices without gaps"));
  }
}
