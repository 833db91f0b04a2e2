// SPDX-License-Identifier: Apache-2.0
// This test compares shares of the peak with numbers computed by hand, checks the list of register
// tiles and the heat map, and runs the study `microkernels` on three tiles.
#include "microkernels.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "calibrate_kernels.h"
#include "close_to.h"
#include "studies.h"
#include "temporary_folder.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

StudyOptions options(const TemporaryFolder& folder) {
  return {.folder = folder / "out", .measurements = 5, .budget_seconds = 3, .version = "test"};
}

std::string run(const StudyOptions& options) {
  std::string said;
  study_microkernels(
      detect_machine(), options, [&](const std::string& text) { said += text; },
      {{.pixels = 1, .vectors = 1}, {.pixels = 4, .vectors = 2}, {.pixels = 2, .vectors = 3}});
  return said;
}

}  // namespace

TEST_CASE("microkernels: the share of peak is least cycles over measured ones, the call included") {
  VectorUnit unit;
  unit.fma_units = 2;
  const KernelRate rate{.pixels = 14, .vectors = 2, .cycles_per_step = 14, .cycles_per_call = 32};
  CHECK(share_of_peak(rate, unit, 512) == close_to(7168.0 / 7200));
  unit.fma_units = 1;
  CHECK(share_of_peak(rate, unit, 1) == close_to(28.0 / 46));
}

TEST_CASE("microkernels: tiles that fit 32 registers, each once, in order") {
  VectorUnit unit;  // The default unit is AVX-512.
  const std::vector<RegisterTile> tiles = register_tiles(unit);
  const auto has = [&](int pixels, int vectors) {
    return std::count(tiles.begin(), tiles.end(),
                      RegisterTile{.pixels = pixels, .vectors = vectors});
  };
  CHECK(has(14, 2) == 1);  // The register tile takes 28 + 2 + 1 of 32 registers.
  CHECK(has(15, 2) == 0);  // The register tile takes 30 + 2 + 1 registers, and there are 32.
  CHECK(has(7, 4) == 0);   // The register tile takes 28 + 4 + 1 registers, and there are 32.
  CHECK(std::is_sorted(tiles.begin(), tiles.end(), [](RegisterTile a, RegisterTile b) {
    return std::pair(a.vectors, a.pixels) < std::pair(b.vectors, b.pixels);
  }));
}

TEST_CASE("microkernels: the heat map has a cell for each pair, titles say what it shows") {
  const std::string svg = microkernels_svg(
      {{"3x1", "3", "1", "2", "20", "0.75", "1"}, {"1x2", "1", "2", "2", "20", "0.5", "1"}},
      "here");
  for (const char* part : {"here", "pixels of the register tile", "vectors of output channels",
                           "share of peak [%]", "75", "50"})
    CHECK(svg.find(part) != std::string::npos);
}

TEST_CASE("study microkernels: rows of the tiles that were undisturbed, going on keeps them") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  const std::string said = run(chosen);
  CHECK(content_of(folder / "out/summary.txt") == said);
  CHECK(said.find(" of 3 tiles measured") != std::string::npos);
  const std::string path = folder / "out/microkernels.csv";
  if (said.find("\n0 of 3 tiles") != std::string::npos) {
    MESSAGE("skipped: no core was quiet");
    return;
  }
  const std::string table = content_of(path);
  CHECK(content_of(folder / "out/microkernels.svg").starts_with("<svg "));
  CHECK_THROWS_WITH_AS(run(chosen), (path + " is there already; --resume goes on with it").c_str(),
                       Error);
  chosen.resume = true;
  run(chosen);
  CHECK(content_of(path).starts_with(table));
  const std::string later = content_of(path);
  for (const char* tile : {"\n1x1,1,1,", "\n4x2,4,2,", "\n2x3,2,3,"})
    CHECK(later.find(tile) == later.rfind(tile));  // No tile has two rows.
}

TEST_CASE("study microkernels: options that make no sense are named") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  chosen.measurements = 0;
  CHECK_THROWS_WITH_AS(run(chosen), "measurements: 0; must be at least 1", Error);
  chosen = options(folder);
  chosen.budget_seconds = 0;
  CHECK_THROWS_WITH_AS(run(chosen), "budget: 0.000000 seconds; must be positive and finite", Error);
}
