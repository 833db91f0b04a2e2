// SPDX-License-Identifier: Apache-2.0
// Tile sizes to schedules, times to surfaces.
#include "expectation.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "csv.h"
#include "integers.h"
#include "stop.h"

namespace tileplan {

namespace {

constexpr const char* kStudy = "expectation";
constexpr const char* kTable = "expectation.csv";
constexpr int kSizes = 17;  // with the untiled one
constexpr std::int64_t kStep = 8;
/// Points of a 17 x 17 surface are compared with their neighbours: more samples than a search
/// takes.
constexpr int kSamples = 5;

std::vector<std::int64_t> multiples(std::int64_t step) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(kSizes);
  for (int i = 0; i < kSizes; ++i) sizes.push_back(i * step);
  return sizes;
}

/// One dim of a nest: `extent` iterations, `inner` of them in the register tile.
struct TiledDim {
  std::string name;
  std::int64_t extent = 0, inner = 1;
};

/// The loops of `dim` around and inside tiles of `size`, to be put at different places of a nest.
struct TileLoops {
  std::vector<Specifier> around, inside;
};

TileLoops tile_loops(const TiledDim& dim, std::int64_t size) {
  const auto trips = [&](std::int64_t count) {
    return Specifier{.kind = Kind::tile, .dim = dim.name, .count = count};
  };
  if (size == 0 || size >= dim.extent)
    return {.around = {}, .inside = {trips(dim.extent / dim.inner)}};
  const std::int64_t whole = dim.extent / size, rest = dim.extent % size;
  if (rest == 0) return {.around = {trips(whole)}, .inside = {trips(size / dim.inner)}};
  return {.around = {{.kind = Kind::lambda,
                      .dim = dim.name,
                      .parts = {{.times = whole, .size = size}, {.times = 1, .size = rest}}}},
          .inside = {{.kind = Kind::rest, .dim = dim.name}}};
}

/// Tiles of both dims around the loops inside them, `kernel` innermost.
std::vector<Specifier> nest_of(const TileLoops& outer, const TileLoops& inner,
                               const std::vector<Specifier>& kernel) {
  std::vector<Specifier> loops;
  for (const auto* part : {&outer.around, &inner.around, &outer.inside, &inner.inside, &kernel})
    loops.insert(loops.end(), part->begin(), part->end());
  return loops;
}

Specifier loop(Kind kind, const std::string& dim, std::int64_t count) {
  return {.kind = kind, .dim = dim, .count = count};
}

/// C[1000 x 700] += A[1000 x 800] B[800 x 700].
ExpectationCase product_case(int lanes) {
  constexpr std::int64_t kRows = 1000, kColumns = 700, kReduction = 800;
  const TiledDim i{.name = "i", .extent = kRows, .inner = kStep};
  const TiledDim j{.name = "j", .extent = ceil_div(kColumns, lanes), .inner = 1};  // vectors
  return {.name = "product",
          .problem = parse_problem("m1000n700k800"),
          .heights = multiples(kStep),
          .widths = multiples(lanes),
          .schedule = [i, j, lanes](std::int64_t height, std::int64_t width) {
            return Schedule{
                .loops = nest_of(tile_loops(j, width / lanes), tile_loops(i, height),
                                 {loop(Kind::tile, "k", kReduction), loop(Kind::unroll, "i", kStep),
                                  loop(Kind::vector, "j", 0)})};
          }};
}

/// One channel in, one out.
ExpectationCase convolution_case() {
  constexpr std::int64_t kImage = 1024, kFilter = 3;
  const TiledDim h{.name = "h", .extent = kImage, .inner = 1};
  const TiledDim w{.name = "w", .extent = kImage, .inner = kStep};
  return {.name = "convolution",
          .problem = parse_problem("mb1ic1ih1024oc1oh1024kh3ph1"),
          .heights = multiples(kStep),
          .widths = multiples(kStep),
          .schedule = [h, w](std::int64_t height, std::int64_t width) {
            return Schedule{
                .loops = nest_of(tile_loops(h, height), tile_loops(w, width),
                                 {loop(Kind::tile, "r", kFilter), loop(Kind::tile, "s", kFilter),
                                  loop(Kind::unroll, "w", kStep), loop(Kind::vector, "k", 0)}),
                .in = Layout::nhwc,
                .out = Layout::nhwc};
          }};
}

std::vector<std::string> all_schedules(const ExpectationCase& one) {
  std::vector<std::string> schedules;
  for (const std::int64_t height : one.heights)
    for (const std::int64_t width : one.widths)
      schedules.push_back(to_string(one.schedule(height, width)));
  return schedules;
}

std::map<std::string, double> measured_seconds(const ExpectationCase& one, const Machine& machine,
                                               const SearchStudyOptions& options,
                                               double budget_seconds) {
  const std::vector<std::string> schedules = all_schedules(one);
  LayerSearchOptions search_options = layer_options(options, kStudy);
  search_options.ranked = 1;
  search_options.samples = kSamples;
  search_options.budget_seconds = budget_seconds;
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
  std::ostringstream rows;
  for (const std::int64_t height : one.heights)
    for (const std::int64_t width : one.widths) {
      const double milliseconds =
          surface.cost(static_cast<double>(height), static_cast<double>(width));
      rows << one.name << ',' << height << ',' << width << ','
           << (std::isfinite(milliseconds) ? csv_number(milliseconds) : "") << ','
           << csv_quoted(to_string(one.schedule(height, width))) << '\n';
    }
  return rows.str();
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
                return found == seconds.end() ? std::numeric_limits<double>::infinity()
                                              : kMilliseconds * found->second;
              },
          .heights = one.heights,
          .widths = one.widths,
          .unit = "ms"};
}

void study_expectation(const Machine& machine, const SearchStudyOptions& options,
                       const std::function<void(const std::string&)>& say) {
  StudyFolder folder(options, kTable, say);
  const std::string head = results_head(kStudy, machine, options) + "# here " +
                           std::to_string(kSamples) +
                           " samples; tiles of (height, width) in elements, 0: not tiled; descent "
                           "begins there\n";
  folder.say(head);
  std::string table = head + "case,height,width,milliseconds,schedule\n";
  const std::vector<ExpectationCase> cases = expectation_cases(machine.vector.lanes);
  for (const ExpectationCase& one : cases) {
    if (stop_requested()) break;
    const Surface surface = measured_surface(
        one, measured_seconds(one, machine, options,
                              options.budget_seconds / static_cast<double>(cases.size())));
    const SurfaceShape shape = shape_of(surface);
    table += rows_of(one, surface);
    folder.write(kTable, table);
    if (!std::isfinite(shape.value)) {
      folder.say(surface.name + ": nothing was measured undisturbed\n");
      continue;
    }
    HeatMap map = heat_map_of(surface, shape);
    map.title += ", " + machine.name + ", hot caches, 1 thread";
    map.value_title = "time [ms]";
    folder.write("expectation-" + one.name + ".svg", heat_map_svg(map));
    folder.say(surface_text(surface, shape));
  }
}

}  // namespace tileplan
