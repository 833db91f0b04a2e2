// SPDX-License-Identifier: Apache-2.0
// This file evaluates cost formulas at all tile sizes, and descends on them as search strategies
// do.
#include "surfaces.h"

#include <algorithm>
#include <memory>
#include <set>

#include "computation.h"
#include "flat.h"
#include "integers.h"
#include "mapped.h"
#include "studies.h"
#include "text_table.h"

namespace tileplan {

namespace {

// These are the numbers C, L and n of the Droplet paper.
constexpr double kCache = 32, kLine = 32, kSize = 100;

std::vector<std::vector<double>> costs_of(const Surface& surface) {
  return mapped(surface.heights, [&](std::int64_t height) {
    return mapped(surface.widths, [&](std::int64_t width) {
      return surface.cost(static_cast<double>(height), static_cast<double>(width));
    });
  });
}

class Grid {
 public:
  explicit Grid(const Surface& surface) {
    const auto heights = static_cast<int>(surface.heights.size());
    const auto widths = static_cast<int>(surface.widths.size());
    space_.coordinates = {{.name = "height", .values = heights},
                          {.name = "width", .values = widths}};
    space_.accepts = [](const SpacePoint&) { return true; };
    for (const std::vector<double>& row : costs_of(surface))
      for (const double cost : row)
        costs_.emplace(SpacePoint{static_cast<int>(costs_.size()) / widths,
                                  static_cast<int>(costs_.size()) % widths},
                       cost);
  }

  const std::map<SpacePoint, double>& costs() const { return costs_; }
  double cost(const SpacePoint& point) const { return costs_.at(point); }
  std::vector<SpacePoint> beside(const SpacePoint& point) const {
    return neighbours(space_, point);
  }

  /// Returns the neighbour of `point` with the lowest cost, or `point` if no neighbour has a lower
  /// cost.
  SpacePoint below(const SpacePoint& point) const {
    SpacePoint best = point;
    for (const SpacePoint& other : beside(point))
      if (cost(other) < cost(best)) best = other;
    return best;
  }

 private:
  std::map<SpacePoint, double> costs_;
  StrategySpace space_;
};

bool is_local_minimum(const Grid& grid, const SpacePoint& point) {
  return std::ranges::all_of(grid.beside(point), [&](const SpacePoint& other) {
    return grid.cost(point) < grid.cost(other);
  });
}

std::vector<SpacePoint> descent_from(const Grid& grid, const SpacePoint& start) {
  std::vector<SpacePoint> path{start};
  for (SpacePoint next = grid.below(start); next != path.back(); next = grid.below(next))
    path.push_back(next);
  return path;
}

std::vector<SpacePoint> falling_chain(const Grid& grid, const SpacePoint& start, double lowest) {
  std::map<SpacePoint, SpacePoint> from{{start, start}};
  std::deque<SpacePoint> queue{start};
  while (!queue.empty()) {
    const SpacePoint point = queue.front();
    queue.pop_front();
    if (grid.cost(point) == lowest) {
      std::vector<SpacePoint> chain{point};
      while (chain.back() != start) chain.push_back(from.at(chain.back()));
      std::reverse(chain.begin(), chain.end());
      return chain;
    }
    for (const SpacePoint& next : grid.beside(point))
      if (grid.cost(next) < grid.cost(point) && from.try_emplace(next, point).second)
        queue.push_back(next);
  }
  return {};
}

/// Returns a function of the tile sizes of i and j that computes the bytes moved between each cache
/// and the next level, summed over the caches. Outputs count twice, because they are loaded and
/// stored. `capacities` are in elements.
std::function<double(double, double)> movement_cost(
    const std::shared_ptr<const Computation>& product, std::vector<std::int64_t> capacities) {
  return [product, capacities = std::move(capacities)](double height, double width) {
    const Dim i = product->dim("i"), j = product->dim("j"), k = product->dim("k");
    const auto tile_i = static_cast<std::int64_t>(height);
    const auto tile_j = static_cast<std::int64_t>(width);
    Nest nest{.loops = {{.dim = i, .trips = product->extent(i) / tile_i, .parts = {}},
                        {.dim = j, .trips = product->extent(j) / tile_j, .parts = {}},
                        {.dim = k, .trips = product->extent(k), .parts = {}},
                        {.dim = i, .trips = tile_i, .parts = {}},
                        {.dim = j, .trips = tile_j, .parts = {}}}};
    for (int d = 0; d < product->dims(); ++d) nest.base[Dim{d}] = 1;
    std::int64_t elements = 0;
    for (const std::int64_t capacity : capacities)
      elements += weighted(*product, flat_volumes(*product, nest, capacity, CapacityRule::ideal));
    return static_cast<double>(elements * product->unit_bytes());
  };
}

std::string at(const Surface& surface, const SpacePoint& point) {
  return joined('(', surface.heights[static_cast<std::size_t>(point[0])], ", ",
                surface.widths[static_cast<std::size_t>(point[1])], ')');
}

std::vector<std::string> labels(const std::vector<std::int64_t>& sizes) {
  return mapped(sizes, [](std::int64_t size) { return std::to_string(size); });
}

}  // namespace

std::vector<std::int64_t> spaced_sizes(std::int64_t first, std::int64_t step, int count) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) sizes.push_back(first + i * step);
  return sizes;
}

std::vector<Surface> cost_surfaces() {
  const auto inverse_area = [](double h, double w) { return kCache / (h * w); };
  std::vector<Surface> surfaces{
      {"ESS", inverse_area},
      {"WMC", inverse_area},
      {"LRW", [](double h, double w) { return 1 / h + 1 / w + (2 * h + w) / kCache; }},
      {"TSS", [](double h, double w) { return (2 * h + w) / (h * w); }},
      {"EUC", [](double h, double w) { return 1 / h + 1 / w; }},
      {"MOON", [](double h, double w) { return 1 / h + 1 / w + (h + w) / kCache; }},
      {"TLI",
       [](double h, double w) {
         return 1 / h + 1 / w + (h - w) / kCache + h * w / (kCache * kCache);
       }},
      {"MHCF", [](double h, double w) {
         return (1 / h + 1.0 / 2) * (1 / kSize + 1 / kLine) + 2 / (h * w);
       }}};
  for (Surface& surface : surfaces) surface.heights = surface.widths = spaced_sizes(1, 5, 20);
  return surfaces;
}

std::vector<Surface> remainder_surfaces() {
  constexpr std::int64_t kWidth = 63, kHeight = 64;
  const auto cost = [](double h, double w) {
    const bool leaves_remainder = kWidth % static_cast<std::int64_t>(w) != 0;
    return 1 + (leaves_remainder ? 1 : 0) + h / kHeight;
  };
  return {{"remainder, all sizes", cost, spaced_sizes(1, 1, kHeight), spaced_sizes(1, 1, kWidth)},
          {"remainder, divisors", cost, divisors(kHeight), divisors(kWidth)}};
}

std::vector<Surface> movement_surfaces() {
  constexpr std::int64_t kExtent = 10'000, kFirst = 64 << 10, kSecond = 256 << 10;
  constexpr std::int64_t kFloat = 4;
  const auto product =
      std::make_shared<const Computation>(computation_of(parse_problem("m10000n10000k10000")));
  const std::vector<std::int64_t> sizes = divisors(kExtent);
  return {{"movement, 64 KiB", movement_cost(product, {kFirst / kFloat}), sizes, sizes, "bytes"},
          {"movement, 64 + 256 KiB", movement_cost(product, {kFirst / kFloat, kSecond / kFloat}),
           sizes, sizes, "bytes"}};
}

SurfaceShape shape_of(const Surface& surface) {
  const Grid grid(surface);
  const SpacePoint first{0, 0};
  const auto lowest =
      std::ranges::min_element(grid.costs(), {}, [](const auto& one) { return one.second; });
  SurfaceShape shape{.minimum = lowest->first,
                     .value = lowest->second,
                     .descent = descent_from(grid, first),
                     .chain = falling_chain(grid, first, lowest->second)};
  for (const auto& [point, cost] : grid.costs()) {
    shape.local_minima += is_local_minimum(grid, point) ? 1 : 0;
    shape.starts += grid.cost(descent_from(grid, point).back()) == shape.value ? 1 : 0;
  }
  std::set<SpacePoint> seen{first};
  for (const SpacePoint& point : shape.descent)
    for (const SpacePoint& other : grid.beside(point)) seen.insert(other);
  shape.evaluations = static_cast<int>(seen.size());
  return shape;
}

HeatMap heat_map_of(const Surface& surface, const SurfaceShape& shape) {
  const auto cell = [](const SpacePoint& point) {
    return HeatCell{.column = static_cast<std::size_t>(point[1]),
                    .row = static_cast<std::size_t>(point[0])};
  };
  return {.titles = {.title = surface.name,
                     .x = "tile width [elements]",
                     .y = "tile height [elements]"},
          .x_labels = labels(surface.widths),
          .y_labels = labels(surface.heights),
          .value_title = surface.unit.empty() ? "cost" : "cost [" + surface.unit + "]",
          .values = costs_of(surface),
          .log_values = shape.value > 0,
          .path = mapped(shape.descent, cell),
          .marked = cell(shape.minimum)};
}

std::string surface_text(const Surface& surface, const SurfaceShape& shape) {
  const std::size_t points = surface.heights.size() * surface.widths.size();
  const bool reaches = shape.descent.back() == shape.minimum;
  return joined(surface.name, ": minimum ", shape.value,
                surface.unit.empty() ? "" : " " + surface.unit, " at ", at(surface, shape.minimum),
                ", ", shape.local_minima, " local minima; descent from ",
                at(surface, shape.descent.front()), ' ',
                reaches ? "reaches it" : "stops at " + at(surface, shape.descent.back()), " after ",
                shape.evaluations, " of ", points, " points; ",
                shape.chain.empty()
                    ? "no falling chain leads there"
                    : joined("a falling chain of ", shape.chain.size(), " points leads to it"),
                "; descent reaches that value from ", shape.starts, " of ", points, " starts\n");
}

void study_surfaces(const StudyOptions& options, const Print& print) {
  StudyFolder folder(options, print);
  std::string table =
      "# Costs by formula, of tiles of (height, width): the Droplet paper's list with C = L = 32 "
      "and "
      "n = 100, its counter-example, our movement model. No machine took part.\n"
      "formula,height,width,cost\n";
  std::vector<Surface> surfaces = cost_surfaces();
  for (const auto& more : {remainder_surfaces(), movement_surfaces()})
    surfaces.insert(surfaces.end(), more.begin(), more.end());
  for (const Surface& surface : surfaces) {
    const SurfaceShape shape = shape_of(surface);
    const HeatMap map = heat_map_of(surface, shape);
    folder.write("surface-" + file_part(surface.name) + ".svg", heat_map_svg(map));
    for (std::size_t row = 0; row < map.values.size(); ++row)
      for (std::size_t column = 0; column < map.values[row].size(); ++column)
        table += csv_line(fields_of(surface.name, map.y_labels[row], map.x_labels[column],
                                    map.values[row][column]));
    folder.say(surface_text(surface, shape));
  }
  folder.write("surfaces.csv", table);
}

}  // namespace tileplan
