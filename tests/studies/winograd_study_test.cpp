// SPDX-License-Identifier: Apache-2.0
// This test checks the cases, errors, speedups and tables of the study of Winograd convolutions.
#include "winograd_study.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "close_to.h"
#include "temporary_folder.h"
#include "winograd_reference.h"

using namespace tileplan;

namespace {

WinogradCase in_use(WinogradSize size) { return {size, winograd_points(size)}; }

}  // namespace

TEST_CASE("study winograd: all sizes in use, and other points of two of them") {
  const std::vector<WinogradCase> cases = winograd_cases();
  CHECK(static_cast<std::size_t>(std::ranges::count(cases, true, &WinogradCase::in_use)) ==
        winograd_sizes().size());
  CHECK(cases.size() == winograd_sizes().size() + 4);
}

TEST_CASE("study winograd: errors grow from F(2,3) to F(6,3) and stay inside the limits") {
  double smaller = 0;
  for (const int outputs : {2, 4, 6}) {
    const MeasuredError error = measured_error(in_use({outputs, 3}), {.channels = 64});
    CHECK(error.rms > smaller);
    CHECK(error.largest > error.rms);
    CHECK(error.deviations < kMostDeviations);
    CHECK(error.bound > 10);
    smaller = error.rms;
  }
}

TEST_CASE("study winograd: F(4,3) has the errors that its points are known for") {
  const MeasuredError error = measured_error(in_use({4, 3}), {.channels = 64});
  CHECK(error.rms == close_to(1.06e-6).epsilon(0.1));
  CHECK(error.direct_rms == close_to(4e-7).epsilon(0.2));
}

TEST_CASE("study winograd: normal data has errors of the same size") {
  const WinogradData normal{.channels = 64, .distribution = RandomData::normal};
  const MeasuredError error = measured_error(in_use({4, 3}), normal);
  CHECK(error.rms == close_to(1.06e-6).epsilon(0.2));
}

TEST_CASE("study winograd: the speedup is direct cycles over products and transforms") {
  const WinogradMatrices four = winograd_of({4, 3});
  const TransformRate cycles{.in_second = 100, .out_second = 80};
  // A tile has 16 outputs of 9 taps, and 36 products. With 64 channels, each product takes 32
  // cycles.
  CHECK(estimated_speedup({four, four}, cycles, 2, 64) ==
        close_to(16 * 9 * 32.0 / (36 * 32 + 100 + 80)));
}

TEST_CASE("study winograd: a row per number of channels and kind of data, and one of cycles") {
  const TemporaryFolder folder;
  std::string said;
  StudyOptions options{.folder = folder / "out", .measurements = 3};
  std::vector<int> left;
  options.progress = [&](int done, int all) { left.push_back(all - done); };
  study_winograd(detect_machine(), options, [&](const std::string& text) { said += text; },
                 {in_use({2, 3})});
  CHECK(left == std::vector<int>{1});
  CHECK(content_of(folder / "out/summary.txt") == said);
  CHECK(said.find("\nF(2,3) ") != std::string::npos);
  const CsvTable errors = parse_csv(content_of(folder / "out/winograd.csv"), "winograd.csv");
  CHECK(errors.rows.size() == 4 * 2);
  const CsvTable cycles =
      parse_csv(content_of(folder / "out/winograd_transforms.csv"), "winograd_transforms.csv");
  // The table may be empty, because other programs may disturb all samples.
  CHECK(cycles.rows.size() <= 1);
  for (const CsvFields& row : cycles.rows) CHECK(std::stod(row[3]) > 0);
}
