// SPDX-License-Identifier: Apache-2.0
// This file translates tile sizes into schedules, and measured times into surfaces.
#include "expectation.h"

#include <cmath>

#include "integers.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

constexpr const char* kStudy = "expectation";
constexpr const char* kTable = "expectation.csv";
// Each dimension has this many tile sizes, including the size without tiling.
constexpr int kSizes = 17;
constexpr std::int64_t kStep = 8;
/// A schedule gets this many samples, more than in a search, because neighbouring points differ
/// little.
constexpr int kSamples = 5;

/// Describes a dimension of which the register tile covers `inner` of the `extent` iterations. A
/// vector counts as one iteration.
struct TiledDim {
  char name;
  std::int64_t extent = 0, inner = 1;
};

/// Holds the loops around a tile and inside it, which are at different positions of a nest.
struct TileLoops {
  std::string around, inside;
};

std::string loop_text(std::int64_t trips, char dim) { return joined("T(", trips, ',', dim, "), "); }

TileLoops tile_loops(const TiledDim& dim, std::int64_t size) {
  if (size == 0 || size >= dim.extent)
    return {.around = "", .inside = loop_text(dim.extent / dim.inner, dim.name)};
  const std::int64_t whole = dim.extent / size, rest = dim.extent % size;
  if (rest == 0)
    return {.around = loop_text(whole, dim.name), .inside = loop_text(size / dim.inner, dim.name)};
  return {.around = joined("L(", dim.name, ",[", whole, '*', size, ",1*", rest, "]), "),
          .inside = joined("R(", dim.name, "), ")};
}

Schedule schedule_of(const TileLoops& outer, const TileLoops& inner, const char* kernel) {
  return parse_schedule(
      joined('[', outer.around, inner.around, outer.inside, inner.inside, kernel));
}

ExpectationCase product_case(int lanes) {
  constexpr std::int64_t kRows = 1000, kColumns = 700;
  const TiledDim i{.name = 'i', .extent = kRows, .inner = kStep};
  const TiledDim j{.name = 'j', .extent = ceil_div(kColumns, lanes)};
  return {.name = "product",
          .problem = parse_problem("m1000n700k800"),
          .heights = spaced_sizes(0, kStep, kSizes),
          .widths = spaced_sizes(0, lanes, kSizes),
          .schedule = [i, j, lanes](std::int64_t height, std::int64_t width) {
            return schedule_of(tile_loops(j, width / lanes), tile_loops(i, height),
                               "T(800,k), U(8,i), V(j)]");
          }};
}

/// Returns the case of a convolution with one input channel and one output channel.
ExpectationCase convolution_case() {
  constexpr std::int64_t kImage = 1024;
  const TiledDim h{.name = 'h', .extent = kImage};
  const TiledDim w{.name = 'w', .extent = kImage, .inner = kStep};
  return {.name = "convolution",
          .problem = parse_problem("mb1ic1ih1024oc1oh1024kh3ph1"),
          .heights = spaced_sizes(0, kStep, kSizes),
          .widths = spaced_sizes(0, kStep, kSizes),
          .schedule = [h, w](std::int64_t height, std::int64_t width) {
            return schedule_of(tile_loops(h, height), tile_loops(w, width),
                               "T(3,r), T(3,s), U(8,w), V(k)] in=nhwc out=nhwc");
          }};
}

std::vector<std::string> all_schedules(const ExpectationCase& one) {
  std::vector<std::string> schedules;
  for (const std::int64_t height : one.heights)
    for (const std::int64_t width : one.widths)
      schedules.push_back(to_string(one.schedule(height, width)));
  return schedules;
}

std::map<std::string, double> measure_seconds(const ExpectationCase& one, const Machine& machine,
                                              const StudyOptions& options, double budget_seconds) {
  const std::vector<std::string> schedules = all_schedules(one);
  LayerSearchOptions search_options = layer_options(options, kStudy, budget_seconds);
  search_options.ranked = 1;
  search_options.samples = kSamples;
  const LayerSearch search = search_layer(
      one.problem, machine,
      {{.strategy = kFixed,
        .budget = {.measurements = static_cast<int>(schedules.size()), .seconds = budget_seconds},
        .schedules = schedules}},
      search_options);
  std::map<std::string, double> seconds;
  for (const SearchStep& step : search.courses.front().steps) seconds[step.schedule] = step.seconds;
  return seconds;
}

std::string rows_of(const ExpectationCase& one, const Surface& surface) {
  std::string rows;
  for (const std::int64_t height : one.heights)
    for (const std::int64_t width : one.widths)
      rows +=
          csv_line(fields_of(one.name, height, width,
                             surface.cost(static_cast<double>(height), static_cast<double>(width)),
                             to_string(one.schedule(height, width))));
  return rows;
}

}  // namespace

std::vector<ExpectationCase> expectation_cases(int lanes) {
  return {product_case(lanes), convolution_case()};
}

Surface measured_surface(const ExpectationCase& one, const std::map<std::string, double>& seconds) {
  constexpr double kMilliseconds = 1e3;
  return {.name = one.name + " " + name_of(one.problem),
          .cost =
              [one, seconds](double height, double width) {
                const auto found = seconds.find(to_string(one.schedule(
                    static_cast<std::int64_t>(height), static_cast<std::int64_t>(width))));
                return found == seconds.end() ? kInfinite : kMilliseconds * found->second;
              },
          .heights = one.heights,
          .widths = one.widths,
          .unit = "ms"};
}

void study_expectation(const Machine& machine, const StudyOptions& options, const Print& print) {
  StudyFolder folder(options, kTable, print);
  const std::string head = joined(
      results_head(kStudy, machine, options), "# here ", kSamples,
      " samples; tiles of (height, width) in elements, 0: not tiled; descent begins there\n");
  folder.say(head);
  std::string table = head + "case,height,width,milliseconds,schedule\n";
  const std::vector<ExpectationCase> cases = expectation_cases(machine.vector.lanes);
  std::size_t done = 0;
  for (const ExpectationCase& one : cases) {
    if (stop_requested()) break;
    folder.show(done++, cases.size());
    const Surface surface = measured_surface(
        one, measure_seconds(one, machine, options,
                             options.budget_seconds / static_cast<double>(cases.size())));
    if (stop_requested()) break;
    const SurfaceShape shape = shape_of(surface);
    table += rows_of(one, surface);
    folder.write(kTable, table);
    if (!std::isfinite(shape.value)) {
      folder.say(surface.name + ": nothing was measured undisturbed\n");
      continue;
    }
    HeatMap map = heat_map_of(surface, shape);
    map.titles.title += conditions_title(machine);
    map.value_title = "time [ms]";
    folder.write("expectation-" + one.name + ".svg", heat_map_svg(map));
    folder.say(surface_text(surface, shape));
  }
}

}  // namespace tileplan
